"""Reads a date from a package."""

import re

from azure.ai.vision.imageanalysis import ImageAnalysisClient
from azure.ai.vision.imageanalysis.models import VisualFeatures
from azure.core.credentials import AzureKeyCredential

DATE = re.compile(r"(\d{4})-(\d{2})")


def fresh(image_bytes):
    client = ImageAnalysisClient("https://example.cognitiveservices.azure.com", AzureKeyCredential("k"))
    result = client.analyze(image_data=image_bytes, visual_features=[VisualFeatures.READ])
    lines = [line.text for block in result.read.blocks for line in block.lines]
    for line in lines:
        match = DATE.search(line)
        if match:
            if int(match.group(1)) >= 2026:
                return "fresh"
            return "old"
    return "unknown"
