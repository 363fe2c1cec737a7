"""A project's own function that has the SDK method's name and calls it."""

from google.cloud import vision

_client = vision.ImageAnnotatorClient()


def label_detection(path, floor=0.5):
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    found = _client.label_detection(image=image).label_annotations
    names = [label.description for label in found if label.score >= floor]
    return names, path


def is_fire(path):
    names, origin = label_detection(path)
    if origin.endswith(".gif"):
        return False
    if not names:
        return False
    return "Fire" in names or "Flame" in names
