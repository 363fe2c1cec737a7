"""Models of API responses: one for each kind of ML task."""
