"""A camera that watches a house."""

from amazon import labels_of
from microsoft import tags_of


def alarm(path):
    labels = labels_of(path)
    if "Fire" in labels:
        return "call the fire brigade"
    return "all quiet"


def siren(path):
    tags = tags_of(path)
    if "fire" in tags:
        return "howl"
    return "hush"
