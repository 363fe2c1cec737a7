"""What the constructors of layers take: read, and probed, for one installed library."""
