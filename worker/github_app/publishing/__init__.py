"""Making GitHub agree with the database about a run: announcing, progressing, publishing."""
