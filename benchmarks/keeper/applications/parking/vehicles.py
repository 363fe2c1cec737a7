"""Asks for the labels of a picture."""

from google.cloud import vision


def seen_on(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        response = client.annotate_image(
            {
                "image": {"content": file.read()},
                "features": [{"type_": vision.Feature.Type.LABEL_DETECTION}],
            }
        )
    return [label.description for label in response.label_annotations]
