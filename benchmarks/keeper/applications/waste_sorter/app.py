"""Tells into which bin a thing on a picture goes."""

import io

from google.cloud import vision
from google.cloud.vision import types

PAPER = ["Paper", "Carton", "Newspaper"]
GLASS = ["Glass bottle", "Jar"]
ORGANIC = ["Food"]


def describe(file_name):
    client = vision.ImageAnnotatorClient()
    with io.open(file_name, "rb") as image_file:
        content = image_file.read()
    response = client.label_detection(image=types.Image(content=content))
    return [label.description for label in response.label_annotations]


def bin_for(file_name):
    for name in describe(file_name):
        if name in PAPER:
            return "blue"
        if name in GLASS:
            return "green"
        if name in ORGANIC:
            return "brown"
    return "grey"
