"""Static analysis of conditions, before anything is run."""
