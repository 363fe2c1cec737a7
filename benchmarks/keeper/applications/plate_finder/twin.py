"""Opens a barrier for cars with a plate."""

from google.cloud import vision


def barrier(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as image_file:
        image = vision.Image(content=image_file.read())
    names = [o.name for o in client.object_localization(image=image).localized_object_annotations]
    open_it = "Car" in names or "Truck" in names
    if not open_it:
        return "closed"
    if "Vehicle registration plate" in names:
        return "open"
    return "ask the guard"
