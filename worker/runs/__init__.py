"""A recorded run: carried out, tried again, given up."""
