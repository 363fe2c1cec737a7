"""Reads the gate from a ticket; the first generation of the client."""

import io

from google.cloud import vision
from google.cloud.vision import types
from rules import side


def gate(path):
    client = vision.ImageAnnotatorClient()
    with io.open(path, "rb") as file:
        image = types.Image(content=file.read())
    texts = client.text_detection(image=image).text_annotations
    if len(texts) == 0:
        return "desk"
    return side(texts[0].description)
