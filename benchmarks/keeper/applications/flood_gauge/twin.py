"""Warns of high water; a label that the service is unsure of is enough for a look."""

from google.cloud import vision

WATER = {"Flood", "Water"}


def warning(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        answer = client.label_detection(image=vision.Image(content=file.read()))
    level = 0.0
    for label in answer.label_annotations:
        if label.description in WATER:
            level = max(level, label.score)
    if level >= 0.85:
        return "leave"
    elif level > 0:
        return "look"
    return "sleep"
