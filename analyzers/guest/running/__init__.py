"""Running what may kill its process: what explores, and what tries a library's calls."""
