"""Counts coins, and says where the first lies."""

from google.cloud import vision


def coins(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as image_file:
        content = image_file.read()
    objects = client.object_localization(image=vision.Image(content=content)).localized_object_annotations
    found = [thing for thing in objects if thing.name == "Coin"]
    if found:
        corner = found[0].bounding_poly.normalized_vertices[0]
        return len(found), corner.x
    return 0, None
