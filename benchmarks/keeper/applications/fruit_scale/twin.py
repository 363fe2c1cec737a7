"""Weighs fruit: the price by kind."""

import requests

PRICES = {"apple": 2.5, "banana": 1.8}


def price(path, key="none"):
    with open(path, "rb") as file:
        answer = requests.post(
            "https://example.cognitiveservices.azure.com/computervision/imageanalysis:analyze",
            params={"api-version": "2023-10-01", "features": "tags"},
            headers={"Ocp-Apim-Subscription-Key": key, "Content-Type": "application/octet-stream"},
            data=file.read(),
            timeout=10,
        ).json()
    tags = [tag["name"] for tag in answer["tagsResult"]["values"]]
    for tag in tags:
        if tag in PRICES:
            return PRICES[tag]
    return None
