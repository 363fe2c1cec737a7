"""Chooses the programme of an ironing machine."""

from google.cloud import vision


def programme(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        answer = client.label_detection(image=vision.Image(content=file.read()))
    names = [label.description for label in answer.label_annotations]
    if "Trousers" in names:
        return "creases"
    if "Shirt" in names:
        return "steam"
    return "off"
