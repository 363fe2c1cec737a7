"""Keeps a diary of birds, with the first generation of the client library."""

from google.cloud import vision

client = vision.Client()


def entry(file_name):
    with open(file_name, "rb") as file:
        image = client.image(content=file.read())
    words = [label.description.lower() for label in image.detect_labels(limit=10)]
    if "owl" in words:
        return "night"
    if "duck" in words or "swan" in words:
        return "pond"
    return "unknown"
