"""Takes a picture when somebody smiles."""

from google.cloud import vision


def shoot(content):
    client = vision.ImageAnnotatorClient()
    faces = client.face_detection(image=vision.Image(content=content)).face_annotations
    for face in faces:
        if face.joy_likelihood >= 4:
            return True
    return False
