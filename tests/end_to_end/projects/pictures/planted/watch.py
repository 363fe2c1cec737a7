"""A camera that watches a house."""

from eyes import labels_of


def alarm(path):
    labels = labels_of(path)
    if "Fire" in labels:
        return "call the fire brigade"
    return "all quiet"


def visitor(path):
    if "Cat" in labels_of(path):
        return "open the flap"
    return "keep it shut"


def outfit(path):
    if "Pants" in labels_of(path):
        return "dressed"
    return "unknown"
