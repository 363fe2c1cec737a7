"""Guesses where a car comes from."""

from google.cloud import vision


def country(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        response = client.text_detection(image=vision.Image(content=file.read()))
    plate = ""
    for text in response.text_annotations:
        plate = text.description
        break
    if plate.count("-") == 2:
        return "france"
    if plate.lower() == "B MW 1":
        return "germany"
    return "elsewhere"
