"""Decides about a street from a small, upright picture of it."""

import io

from google.cloud import vision
from PIL import Image, ImageOps

client = vision.ImageAnnotatorClient()


def decide(path):
    with Image.open(path) as photo:
        small = ImageOps.exif_transpose(photo).convert("RGB").resize((128, 128))
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=90)
    image = vision.Image(content=buffer.getvalue())
    things = client.object_localization(image=image).localized_object_annotations
    if not things:
        return "other"
    best = max(things, key=lambda thing: thing.score)
    match best.name:
        case "Bus" | "Train":
            return "public"
        case "Bicycle":
            return "bicycle"
        case _:
            return "other"
