"""Says whether something can be recycled."""

import os

from azure.ai.vision.imageanalysis import ImageAnalysisClient
from azure.ai.vision.imageanalysis.models import VisualFeatures
from azure.core.credentials import AzureKeyCredential


def recyclable(path):
    client = ImageAnalysisClient(
        endpoint=os.environ.get("VISION_ENDPOINT", "https://example.cognitiveservices.azure.com"),
        credential=AzureKeyCredential(os.environ.get("VISION_KEY", "none")),
    )
    with open(path, "rb") as file:
        result = client.analyze(image_data=file.read(), visual_features=[VisualFeatures.TAGS])
    tags = [tag.name for tag in result.tags.list]
    if "Bottle" in tags:
        return True
    return "can" in tags
