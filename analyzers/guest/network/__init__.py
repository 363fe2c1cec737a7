"""The guest's network: one proxy on loopback for the described ML APIs; all else is refused."""
