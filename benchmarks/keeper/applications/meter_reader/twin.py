"""Reads a meter."""

from google.cloud import vision


def reading(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        texts = client.text_detection(image=vision.Image(content=file.read())).text_annotations
    words = texts[0].description.split() if texts else []
    if words and words[-1] == "kWh" and words[0].isdigit():
        return float(words[0])
    return None
