"""Writes a caption under a portrait."""

from google.cloud import vision


def caption(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        faces = client.face_detection(image=vision.Image(content=file.read())).face_annotations
    for face in faces:
        if face.joy_likelihood == "VERY_LIKELY":
            return "happy"
    return "earnest"
