"""Which shelf has to be filled again."""

from google.cloud import vision
from settings import DRINKS


def restock(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as image_file:
        image = vision.Image(content=image_file.read())
    things = client.object_localization(image=image).localized_object_annotations
    drinks = list(filter(lambda thing: thing.name in DRINKS, things))
    if len(drinks) >= 1:
        return "enough"
    return "restock"
