"""Campaign against the library under a model file, and the findings that come of it."""
