"""Where scans are kept."""

from .cloud import words_on


def shelf(path):
    """The letter of the shelf."""
    words = words_on(path)
    letter = words[0].description[0]
    return letter.upper()
