"""What Azure sees on a picture."""

import os

from azure.ai.vision.imageanalysis import ImageAnalysisClient
from azure.ai.vision.imageanalysis.models import VisualFeatures
from azure.core.credentials import AzureKeyCredential


def tags_of(path):
    key = AzureKeyCredential(os.environ.get("VISION_KEY", "none"))
    client = ImageAnalysisClient(os.environ.get("VISION_ENDPOINT", "https://x.example"), key)
    with open(path, "rb") as picture:
        result = client.analyze(image_data=picture.read(), visual_features=[VisualFeatures.TAGS])
    return [tag.name for tag in result.tags.list]
