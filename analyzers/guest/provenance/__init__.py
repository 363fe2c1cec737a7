"""Where the values come from that an exception was raised by: from the code alone, or from us."""
