"""Names the visitor of a bird table."""

from google.cloud import vision

client = vision.ImageAnnotatorClient()


def visitor(content):
    response = client.label_detection(image=vision.Image(content=content))
    best = response.label_annotations[0]
    if best.description == "Bird" and best.score > 0.6:
        return "bird"
    elif best.description == "Squirrel":
        return "squirrel"
    return "nobody"
