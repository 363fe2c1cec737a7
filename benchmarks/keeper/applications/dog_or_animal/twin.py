"""Greets animals."""

from google.cloud import vision


def greeting(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        answer = client.label_detection(image=vision.Image(content=file.read()))
    for label in answer.label_annotations:
        if label.description in ("Dog", "Animal"):
            return "hello animal"
    return "hello"
