"""What the operator decides, and what the tested repository's maintainers decide."""
