"""Greets visitors by the look on their face."""

from google.cloud import vision
from google.cloud.vision_v1 import Likelihood

GREETINGS = {"joy": "Nice to see you!", "sorrow": "Can I help?", "": "Hello."}


def feeling(face):
    if face.joy_likelihood >= Likelihood.LIKELY:
        return "joy"
    if face.sorrow_likelihood >= Likelihood.LIKELY:
        return "sorrow"
    return ""


def greet(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    faces = client.face_detection(image=image).face_annotations
    if not faces:
        return None
    return GREETINGS[feeling(faces[0])]
