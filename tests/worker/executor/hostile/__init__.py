"""A guest that breaks the protocol, each time in the way that the target is named after."""
