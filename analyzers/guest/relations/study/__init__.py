"""Studies of a whole library: its relations and divergences."""
