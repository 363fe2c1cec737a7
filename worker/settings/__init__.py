"""Settings of the operator, and of the tested repository's maintainers."""
