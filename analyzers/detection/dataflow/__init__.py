"""Flow of ML APIs' answers to the conditions of a function."""
