"""Plays a song that fits a face."""

from google.cloud import vision

NAMES = ("UNKNOWN", "VERY_UNLIKELY", "UNLIKELY", "POSSIBLE", "LIKELY", "VERY_LIKELY")


def song(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        faces = client.face_detection(image=vision.Image(content=file.read())).face_annotations
    if len(faces) == 0:
        return "silence"
    for face in faces:
        if NAMES[face.sorrow_likelihood] == "VERY_LIKELY":
            return "blues"
        elif NAMES[face.joy_likelihood] == "VERY_LIKELY":
            return "polka"
        elif NAMES[face.surprise_likelihood] == "VERY_LIKELY":
            return "jazz"
    return "radio"
