"""Chooses a wine for a photographed dish; the rules are in another file."""

import base64

import requests

from rules import wine_for

URL = "https://vision.googleapis.com/v1/images:annotate"


def wine(path, key="none"):
    with open(path, "rb") as file:
        content = base64.b64encode(file.read()).decode()
    question = {"image": {"content": content}, "features": [{"type": "LABEL_DETECTION"}]}
    answer = requests.post(URL, params={"key": key}, json={"requests": [question]}, timeout=10)
    found = answer.json()["responses"][0]
    return wine_for(label["description"] for label in found["labelAnnotations"])
