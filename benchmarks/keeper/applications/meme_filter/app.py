"""Blocks pictures with bad words on them."""

from google.cloud import vision
from words import BAD


def blocked(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        response = client.text_detection(image=vision.Image(content=file.read()))
    texts = response.text_annotations
    if not texts:
        return False
    for word in texts[0].description.lower().split():
        if word in BAD:
            return True
    return False
