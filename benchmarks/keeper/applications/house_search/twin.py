"""Sorts photographs of a holiday."""

from google.cloud import vision

BUILDING = ("Building", "Mansion", "Estate", "House", "Architecture")


def kind_of_place(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        labels = client.label_detection(image=vision.Image(content=file.read())).label_annotations
    words = {label.description for label in labels}
    if words.intersection(BUILDING):
        return "building"
    if words & {"Beach", "Sea"}:
        return "seaside"
    return "other"
