"""What is on a picture?"""

from google.cloud import vision


def labels_of(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as picture:
        image = vision.Image(content=picture.read())
    return [label.description for label in client.label_detection(image=image).label_annotations]
