"""Words that nobody wants to read."""

BAD = {"rascal", "nitwit"}
