"""The average share of the picture that people take."""

from google.cloud import vision


def area(poly):
    xs = [vertex.x for vertex in poly.normalized_vertices]
    ys = [vertex.y for vertex in poly.normalized_vertices]
    return (max(xs) - min(xs)) * (max(ys) - min(ys))


def average(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as image_file:
        image = vision.Image(content=image_file.read())
    objects = client.object_localization(image=image).localized_object_annotations
    people = [area(o.bounding_poly) for o in objects if o.name == "Person"]
    return sum(people) / len(people)
