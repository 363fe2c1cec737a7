"""Unknown arguments that learn, from their uses and from exceptions, what they should be."""
