"""Reads the text of a receipt."""

import io

from google.cloud import vision


def read_text(path):
    """All text on the picture at ``path``, or an empty string."""
    client = vision.ImageAnnotatorClient()
    with io.open(path, "rb") as file:
        image = vision.Image(content=file.read())
    response = client.text_detection(image=image)
    if response.error.message:
        raise RuntimeError(response.error.message)
    texts = response.text_annotations
    return texts[0].description
