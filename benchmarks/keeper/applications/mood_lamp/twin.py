"""Sets the colour of a lamp by the face in front of it."""

from google.cloud import vision

LIKELY = ("LIKELY", "VERY_LIKELY")


def colour(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        response = client.face_detection(image=vision.Image(content=file.read()))
    if not response.face_annotations:
        return "white"
    face = response.face_annotations[0]
    if vision.Likelihood(face.joy_likelihood).name in LIKELY:
        return "yellow"
    if vision.Likelihood(face.anger_likelihood).name in LIKELY:
        return "red"
    return "white"
