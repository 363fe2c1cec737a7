"""Functions in the shapes of real applications, for the search benchmark."""
