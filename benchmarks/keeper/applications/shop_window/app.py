"""Looks for offers of shoes: asks for labels and for text."""

from google.cloud import vision


def offer(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    labels = [label.description for label in client.label_detection(image=image).label_annotations]
    if "Shoe" not in labels:
        return "nothing"
    texts = client.text_detection(image=image).text_annotations
    if texts and "SALE" in texts[0].description:
        return "buy"
    return "look"
