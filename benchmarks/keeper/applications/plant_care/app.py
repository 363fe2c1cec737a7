"""Says how much water a plant wants, with the older Azure SDK."""

import os

from azure.cognitiveservices.vision.computervision import ComputerVisionClient
from msrest.authentication import CognitiveServicesCredentials

LEAST = {"cactus": 0.5, "fern": 0.5}


def water(path):
    client = ComputerVisionClient(
        "https://example.cognitiveservices.azure.com",
        CognitiveServicesCredentials(os.environ.get("VISION_KEY", "none")),
    )
    with open(path, "rb") as image:
        tags = client.tag_image_in_stream(image).tags
    for tag in tags:
        if tag.name in LEAST and tag.confidence > LEAST[tag.name]:
            return "little" if tag.name == "cactus" else "much"
    return "some"
