"""The requirements of a project, read from its files without running any of them."""
