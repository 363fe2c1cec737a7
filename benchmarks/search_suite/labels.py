# ruff: noqa -- written as applications are written
"""Functions that branch on image labels, in the shapes that applications use."""

import io
import re

from google.cloud import vision

FIRE = {"fire", "flame", "smoke"}
THRESHOLDS = {"weapon": 0.85, "knife": 0.7, "blood": 0.6}
RECYCLING = [
    ("Plastic", ["plastic", "bottle", "polymer"]),
    ("Paper", ["paper", "cardboard", "newspaper"]),
    ("Metal", ["aluminum", "tin can"]),
]
FOODS = ("pizza", "sushi", "salad", "soup")
CATEGORY = re.compile(r"^(?:sports?|racing) (car|bike)$")


def _labels(path):
    client = vision.ImageAnnotatorClient()
    with io.open(path, "rb") as image_file:
        content = image_file.read()
    return client.label_detection(image=vision.Image(content=content)).label_annotations


def alarm(path):
    for label in _labels(path):
        if label.description.lower() in FIRE and label.score > 0.8:
            return True
    return False


def first_label(path):
    labels = _labels(path)
    if len(labels) == 0:
        return "nothing"
    if labels[0].description == "Cat":
        return "cat"
    elif labels[0].description == "Dog" or labels[0].description == "Puppy":
        return "dog"
    return "other"


def confidence_band(path):
    best = max([label.score for label in _labels(path)], default=0.0)
    if 0.6 <= best < 0.75:
        return "perhaps"
    elif 0.75 <= best < 0.95:
        return "likely"
    elif best >= 0.95:
        return "certain"
    return "unknown"


def by_threshold(path):
    flagged = []
    for label in _labels(path):
        name = label.description.casefold()
        if name in THRESHOLDS and label.score >= THRESHOLDS[name]:
            flagged.append(name)
    if len(flagged) >= 2:
        return "block"
    return "review" if flagged else "pass"


def bin_for(path):
    names = [label.description.lower() for label in _labels(path)]
    for bin_name, words in RECYCLING:  # fixed: false
        if any(word in names for word in words):
            return bin_name
    return None


def is_meal(path):
    names = {label.description for label in _labels(path) if label.score > 0.7}
    return "Food" in names and not "Drink" in names


def all_plants(path):
    labels = _labels(path)
    if labels and all("plant" in label.description.lower() for label in labels):
        return "only plants"
    return "mixed"


def dish(path):
    found = [label.description for label in _labels(path)]
    hits = list(filter(lambda name: name.lower() in FOODS, found))
    if not hits:
        raise ValueError("no dish on the picture")
    if len(hits) > 1:
        return "menu"
    return hits[0]


def vehicle(path):
    for label in _labels(path):
        match = CATEGORY.match(label.description.lower())
        if match and match.group(1) == "car":
            return "car"
        elif match:
            return "bike"
    return None


def people_and_dogs(path):
    dogs = people = 0
    for label in _labels(path):
        if label.description.startswith("Dog"):
            dogs += 1
        if label.description.endswith("person") or label.description == "Human":
            people += 1
    if dogs and people:
        return "walk"
    if dogs > 2:
        return "pack"
    return "none"


def contradictory(path):
    for label in _labels(path):
        if label.score > 0.9 and label.score < 0.5:  # infeasible: true .1:true
            return True
    return False


def upper_lower(path):
    names = [label.description.lower() for label in _labels(path)]
    for name in names:
        if name == "Tree":  # infeasible: true
            return "tree"
        if name == "tree house":
            return "house"
    return None


def unpack_two(path):
    labels = _labels(path)
    first, second = labels[0], labels[1]
    if first.description == second.description:
        return "twins"
    return first.description if first.score - second.score > 0.2 else None


class Gallery:
    ALLOWED = ["Beach", "Mountain", "Sunset"]

    def __init__(self, minimum=0.5):
        self.minimum = minimum

    def accept(self, image_path, strict=False):
        tags = {l.description: l.score for l in _labels(image_path)}
        for tag, score in tags.items():
            if tag in self.ALLOWED and score >= 0.66:
                return tag
        if tags.get("Sea", 0) > 0.9:
            return "Sea"
        return None
