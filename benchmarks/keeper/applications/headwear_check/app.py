"""Passport photographs: no hat, no tilted head."""

from google.cloud import vision


def allowed(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        faces = client.face_detection(image=vision.Image(content=file.read())).face_annotations
    if len(faces) != 1:
        return "exactly one face, please"
    face = faces[0]
    if face.headwear_likelihood > 3:
        return "no hat, please"
    if abs(face.roll_angle) > 15:
        return "hold your head straight"
    return "ok"
