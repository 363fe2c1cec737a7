"""aN, the language of what functions take (aNNoTest, 3.1): pure Python 3.9, for both sides."""
