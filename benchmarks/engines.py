"""How well and how fast the local engines answer: ``python benchmarks/engines.py``.

Draws legible pictures with every installed font on every background and reads
them; rates the clearly rated texts; looks recorded answers up.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from analyzers.vocabulary import InputRequest
from worker.broker.api_broker import Broker
from worker.engines.engine import ApiRequest
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.sources import fonts, rated_texts, text_pictures
from worker.sources.text_pictures import Background

TEXT = "google.vision.text_detection"
SENTIMENT = "google.language.analyze_sentiment"
READINGS = (
    "Total: 42.50 EUR",
    "Invoice 2024-17",
    "STOP",
    "Welcome to the meeting\nRoom 12, Tuesday",
    "paid in cash",
    "No smoking",
    "RECEIPT\nTOTAL 12.99",
    "Thank you for your purchase",
    "urgent",
    "Name: John Smith",
    "DANGER HIGH VOLTAGE",
    "Please return this form by 31 March",
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        recordings = Recordings(Path(folder))
        broker = Broker(Engines.from_settings({}, offline=True), recordings)
        began = time.perf_counter()
        item = text_pictures.write("warm up", 1, 0).inputs[0]
        broker.answer(TEXT, ApiRequest(item.content))
        print(f"first picture, models loaded: {time.perf_counter() - began:.2f} s")
        asked = read_pictures(broker)
        rate_texts(broker)
        began = time.perf_counter()
        for request in asked:
            broker.answer(TEXT, request)
        took = (time.perf_counter() - began) / len(asked)
        print(f"recorded answer: {1000 * took:.2f} ms")


def read_pictures(broker: Broker) -> list[ApiRequest]:
    cells: dict[str, list[bool]] = defaultdict(list)
    asked: list[ApiRequest] = []
    spent = 0.0
    for reading in READINGS:
        for font in fonts.installed():
            for background in Background:
                if not font.can_draw(reading):
                    continue
                chance = random.Random(f"{reading}{font.name}{background}")
                item = text_pictures.picture(reading, font, background, chance)
                asked.append(ApiRequest(item.content))
                began = time.perf_counter()
                answer = broker.answer(TEXT, asked[-1])
                spent += time.perf_counter() - began
                found = answer.get("text_annotations")
                text = found[0]["description"] if found else ""
                for cell in (f"{font.kind} on {background}", font.name, "all"):
                    cells[cell].append(text.split() == reading.split())
    for cell, good in cells.items():
        print(f"{cell:28} {sum(good):4} of {len(good):4} read exactly")
    print(f"a picture: {1000 * spent / len(asked):.0f} ms")
    return asked


def rate_texts(broker: Broker) -> None:
    for reading, sign in (("positive", 1), ("negative", -1)):
        items = rated_texts.find(InputRequest(SENTIMENT, reading), 500, 0).inputs
        began = time.perf_counter()
        scores = [
            broker.answer(SENTIMENT, ApiRequest(text=item.content.decode()))["document_sentiment"]
            for item in items
        ]
        took = (time.perf_counter() - began) / len(items)
        good = sum(sign * score["score"] > 0 for score in scores)
        print(f"{reading} texts: {good} of {len(items)}, {1000 * took:.2f} ms a text")


if __name__ == "__main__":
    main()
