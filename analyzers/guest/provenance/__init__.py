"""The origin of the values that an exception was raised by: the code alone, or us."""
