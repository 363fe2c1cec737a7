"""Loading and running the code under test: imports, stand-ins, time limits, child processes."""
