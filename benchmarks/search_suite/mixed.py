# ruff: noqa -- written as applications are written
"""Functions over several helpers, classes, APIs and inputs."""

import base64
import re

from google.cloud import language_v1, vision

WORDS = {"invoice": "finance", "cv": "people", "contract": "legal"}
_client = vision.ImageAnnotatorClient()


def names_of(content):
    response = _client.label_detection({"content": content})
    return [annotation.description for annotation in response.label_annotations]


def words_of(content):
    response = _client.document_text_detection(image=vision.Image(content=content))
    return response.full_text_annotation.text


def _is_document(names):
    return "Text" in names or "Document" in names


def department(data):
    if not _is_document(names_of(data)):
        return "picture"
    text = words_of(data).lower()
    for word, name in WORDS.items():  # fixed: false
        if word in text:
            return name
    return "post room"


def from_base64(encoded):
    names = [name.lower() for name in names_of(base64.b64decode(encoded))]
    if "selfie" in names or "portrait" in names:
        return "profile"
    return "picture"


def moderate(comment, image_bytes):
    document = language_v1.Document(content=comment, type_="PLAIN_TEXT")
    result = language_v1.LanguageServiceClient().analyze_sentiment(document=document)
    angry = result.document_sentiment.score < -0.4
    armed = "Gun" in names_of(image_bytes)
    if angry and armed:
        return "report"
    if angry or armed:
        return "hide"
    return "show"


def slogan(content):
    text = re.sub(r"[^a-z ]", "", words_of(content).lower())
    words = text.split(" ")
    if words[0] == "buy" and words[-1] == "now":
        return "advert"
    if len(set(words)) < len(words):
        return "repetitive"
    return "plain"


def _is_amount(word):
    if not word or word[0] not in "$€£":  # infeasible: .0:false
        return False
    return word[1:].replace(".", "", 1).isdigit()


def amounts(content):
    found = [word for word in words_of(content).split() if _is_amount(word)]
    if len(found) == 1:
        return found[0]
    return sorted(found, key=lambda word: float(word[1:]))[-1] if found else None


def best_object(path):
    with open(path, "rb") as file:
        answer = _client.object_localization(image=vision.Image(content=file.read()))
    objects = sorted(answer.localized_object_annotations, key=lambda o: o.score)
    if objects and objects[-1].name == "Bicycle wheel":
        return "wheel"
    wheels = [o for o in objects if "wheel" in o.name.lower()]
    return len(wheels) == 4


def caesar(content):
    text = "".join(chr(ord(c) - 1) for c in words_of(content))
    if text == "gdkkn":
        return "secret"
    if text.startswith("x") and text[-1:] == "y":
        return "odd"
    return "plain"
