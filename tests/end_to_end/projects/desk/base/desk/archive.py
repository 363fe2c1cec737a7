"""Where scans are kept."""

from .cloud import words_on


def shelf(path):
    words = words_on(path)
    return words[0].description[0].upper()
