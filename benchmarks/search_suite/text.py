# ruff: noqa -- written as applications are written
"""Functions that parse text read from pictures."""

import datetime
import re

from google.cloud import vision

CURRENCIES = {"EUR": 1.0, "USD": 0.92, "GBP": 1.17}
POSTCODE = re.compile(r"\b(\d{5})\b")


def _text(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as handle:
        response = client.text_detection(image=vision.Image(content=handle.read()))
    texts = response.text_annotations
    return texts[0].description if texts else ""


def total(path):
    for line in _text(path).split("\n"):  # infeasible: false
        if line.lower().startswith("total"):
            amount = re.search(r"(\d+\.\d{2})", line)
            if amount:
                value = float(amount.group(1))
                return "large" if value > 100 else "small"
    return None


def due_date(path):
    text = _text(path).strip()
    try:
        date = datetime.datetime.strptime(text, "%d/%m/%Y")
    except ValueError:
        return "no date"
    if date.year < 2020:
        return "old"
    return "new"


def postcode(path):
    match = POSTCODE.search(_text(path))
    if match is None:
        return None
    code = match.group(1)
    if code[0] == "9":
        return "west"
    elif code.startswith("10"):
        return "capital"
    return "elsewhere"


def parking(path):
    words = _text(path).upper().split()
    if "NO" in words and "PARKING" in words:
        return "forbidden"
    if "PARKING" in words:
        return "allowed"
    return "unknown"


def plate(path):
    text = _text(path).replace(" ", "").replace("-", "")
    if len(text) == 7 and text[:2].isalpha() and text[2:].isdigit():
        return text
    return None


def currency(path):
    parts = _text(path).split()
    if len(parts) == 2 and parts[1] in CURRENCIES:
        try:
            amount = float(parts[0])
        except ValueError:
            return "not a number"
        if amount * CURRENCIES[parts[1]] >= 50:
            return "ask the manager"
        return "pay"
    return "unreadable"


def menu_button(path):
    text = _text(path)
    match text.strip().lower():
        case "ok" | "yes":
            return 1
        case "cancel":
            return 2
        case _ if text:
            return 3
        case _:
            return 0


def exclamation(path):
    text = _text(path)
    return text.isupper() and text.endswith("!")


def checklist(path):
    lines = [line.strip() for line in _text(path).splitlines() if line.strip()]
    done = [line for line in lines if line.startswith("[x]")]
    if lines and len(done) == len(lines):
        return "complete"
    if len(lines) >= 5:
        return "long"
    return "open"


def product_key(path):
    text = _text(path)
    if re.fullmatch(r"[A-Z]{4}-\d{4}-[A-Z]{2}", text):
        return "valid"
    if text.count("-") == 2:
        return "mistyped"
    return "none"


def without_first(path):
    text = _text(path)[1:]
    if text == "ello":
        return "greeting"
    return "?"


def age(path):
    match = re.search(r"age[: ]+(\d+)", _text(path), re.IGNORECASE)
    years = int(match.group(1)) if match else -1
    if years >= 18 and years < 120:
        return "adult"
    elif 0 <= years < 18:
        return "minor"
    return "unknown"


def lottery(path):
    digits = [int(character) for character in _text(path) if character.isdigit()]
    if sum(digits) == 21:
        return "win"
    if len(digits) > 6:
        return "too long"
    return "lose"


def stripped(path):
    text = _text(path).strip()
    if text.startswith(" "):  # infeasible: true
        return "indented"
    if text == "stop":
        return "stop"
    return "go"
