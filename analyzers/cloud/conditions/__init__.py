"""What conditions in the code say by themselves, before anything is run."""
