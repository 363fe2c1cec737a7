# ruff: noqa -- written as applications are written
"""Harder idioms: preprocessing to invert, checksums, state, unusual control flow."""

import datetime
import json
import re

from google.cloud import language_v1, vision

ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50}
client = vision.ImageAnnotatorClient()


def _lines(path):
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    return client.text_detection(image=image).full_text_annotation.text.split("\n")


def _tags(path):
    with open(path, "rb") as file:
        response = client.annotate_image(
            {
                "image": {"content": file.read()},
                "features": [{"type_": vision.Feature.Type.LABEL_DETECTION, "max_results": 5}],
            }
        )
    return response.label_annotations


def dropped_first(path):
    key = "".join(_lines(path))[1:].strip().replace("-", "")
    if key == "q7mz04":
        return "unlocked"
    return "locked"


def reversed_word(path):
    word = _lines(path)[0][::-1].lower()
    if word == "exit":
        return "door"
    if word.startswith("ot "):
        return "direction"
    return None


def luhn(path):
    digits = [int(d) for d in re.sub(r"\D", "", " ".join(_lines(path)))]
    if len(digits) < 13:
        return "no card"
    total = sum(d if i % 2 else sum(divmod(d * 2, 10)) for i, d in enumerate(digits[::-1], 1))
    return "card" if total % 10 == 0 else "misread"


def roman(path):
    word = _lines(path)[0].strip().upper()
    if not word or any(letter not in ROMAN for letter in word):
        return None
    values = [ROMAN[letter] for letter in word]
    total = 0
    for this, following in zip(values, values[1:] + [0]):  # infeasible: false
        total += -this if this < following else this
    if total == 14:
        return "fourteen"
    return total


def opening_hours(path):
    match = re.search(r"(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})", " ".join(_lines(path)))
    if match is None:
        return "unknown"
    opens, shuts = int(match[1]), int(match[3])
    if opens > 23 or shuts > 23:
        return "misread"
    if opens >= shuts:
        return "overnight"
    return "day" if shuts - opens >= 8 else "short"


def receipt(path):
    items, total = [], None
    for line in _lines(path):  # infeasible: false
        name, _, price = line.rpartition(" ")
        try:
            value = float(price)
        except ValueError:
            continue
        if name.upper() == "TOTAL":
            total = value
        else:
            items.append(value)
    if total is None:
        return "no total"
    if abs(sum(items) - total) < 0.005:
        return "adds up"
    return "does not add up"


def expires(path):
    for line in _lines(path):  # infeasible: false
        match = re.match(r"EXP\s*(\d{2})/(\d{2})$", line.strip())
        if match:
            month, year = int(match.group(1)), 2000 + int(match.group(2))
            if not 1 <= month <= 12:
                return "misread"
            return (
                "expired" if datetime.date(year, month, 1) < datetime.date(2025, 6, 1) else "valid"
            )
    return None


def majority(path):
    votes = {"indoor": 0, "outdoor": 0}
    for tag in _tags(path):
        word = tag.description.lower()
        if "sky" in word or word in ("tree", "road"):
            votes["outdoor"] += 1
        elif word in ("room", "furniture"):
            votes["indoor"] += 1
    if votes["indoor"] == votes["outdoor"]:
        return "tie"
    return max(votes, key=votes.get)


def weighted(path):
    danger = {"knife": 3, "fire": 5, "dog": 1}
    score = sum(danger.get(tag.description.lower(), 0) * tag.score for tag in _tags(path))
    if score > 7.5:
        return "evacuate"
    if score > 2.9:
        return "warn"
    return "calm"


def best_two(path):
    ranked = sorted(_tags(path), key=lambda tag: tag.score, reverse=True)[:2]
    if len(ranked) == 2 and ranked[0].score - ranked[1].score < 0.05:
        return "ambiguous"
    while ranked and ranked[-1].score < 0.75:
        ranked.pop()
    return [tag.description for tag in ranked] or None


def state_machine(path):
    state = "start"
    for word in " ".join(_lines(path)).lower().split():
        if state == "start" and word == "open":
            state = "opening"
        elif state == "opening" and word == "the":
            state = "article"
        elif state == "article":
            state = "done" if word == "gate" else "wrong"
    if state == "done":
        return True
    return state == "wrong"


def as_json(path):
    try:
        order = json.loads("\n".join(_lines(path)))
    except json.JSONDecodeError:
        return "not json"
    if isinstance(order, dict) and order.get("urgent"):
        return "first"
    return "later"


def mood_of_lines(path):
    lines = [line for line in _lines(path) if len(line.split()) >= 3]
    analyzer = language_v1.LanguageServiceClient()
    scores = []
    for line in lines:
        document = {"content": line, "type_": "PLAIN_TEXT"}
        scores.append(analyzer.analyze_sentiment(document=document).document_sentiment.score)
    if len(scores) >= 2 and min(scores) < -0.5 and max(scores) > 0.5:
        return "polarised"
    if scores and sum(scores) / len(scores) < 0:
        return "sad"
    return "fine"


def swing(text):
    analyzer = language_v1.LanguageServiceClient()
    before = analyzer.analyze_sentiment(document={"content": text, "type_": 1})
    after = analyzer.analyze_sentiment(document={"content": text.upper(), "type_": 1})
    change = after.document_sentiment.score - before.document_sentiment.score
    if change > 0.6:
        return "louder is better"
    if change < -0.6:
        return "louder is worse"
    return "same"
