"""Says what is missing on a table."""

from google.cloud import vision

NEEDED = ("Plate", "Fork", "Knife")


def missing(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as image_file:
        image = vision.Image(content=image_file.read())
    answer = client.object_localization(image=image)
    names = [thing.name for thing in answer.localized_object_annotations]
    if not names:
        return list(NEEDED)
    return [needed for needed in NEEDED if needed not in names]
