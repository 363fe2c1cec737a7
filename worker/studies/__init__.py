"""Studies of a whole library in the sandbox, and the tables that they leave."""
