"""Number plates from pictures of a parking lot."""

import re

from google.cloud import vision

try:
    from google.cloud.vision import types
except ImportError:
    types = None

PLATE = re.compile(r"[A-Z]{1,3}[- ]?[A-Z]{1,2} ?\d{1,4}")


def make_image(content):
    if types is not None:
        return types.Image(content=content)
    return vision.Image(content=content)


def plate(path):
    with open(path, "rb") as file:
        image = make_image(file.read())
    client = vision.ImageAnnotatorClient()
    annotations = client.text_detection(image=image).text_annotations
    if len(annotations) > 0:
        match = PLATE.search(annotations[0].description.replace("\n", " "))
        if match:
            return match.group().replace(" ", "-")
    return None
