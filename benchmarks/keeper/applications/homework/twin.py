"""Grades a sum on a sheet of paper."""

from google.cloud import vision


def grade(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        answer = client.document_text_detection(image=vision.Image(content=file.read()))
    text = answer.full_text_annotation.text
    if "=" not in text:
        return "no sum"
    result = text.split("=")[1]
    if result.strip() == "42":
        return "right"
    return "wrong"
