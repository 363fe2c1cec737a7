"""Greets visitors by the look on their face."""

from google.cloud import vision

GREETINGS = {"joy": "Nice to see you!", "sorrow": "Can I help?", "": "Hello."}


def greet(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    faces = client.face_detection(image=image).face_annotations
    if not faces:
        return None
    if faces[0].joy_likelihood == "VERY_LIKELY":
        return GREETINGS["joy"]
    return GREETINGS[""]
