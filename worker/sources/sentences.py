"""Sentences of our own, in English and in other languages, that say nothing odd."""

from __future__ import annotations

from dataclasses import dataclass

ENGLISH = (
    "The library opens at nine and closes in the evening.",
    "Please bring your own cup, because there are not enough for everybody.",
    "We took the wrong bus and had to walk back along the river.",
    "The soup was too salty, but the bread was still warm.",
    "My sister repairs bicycles and sells them at the market.",
    "It rained all morning, so the children stayed inside.",
    "The new printer is faster than the old one and much louder.",
    "Nobody knew the way, and the map was of no help.",
    "He wrote a long letter and forgot to send it.",
    "The garden looks lovely now that the roses are in flower.",
)
LINES = (
    "Opening hours\nMonday to Friday\n9:00 to 17:00",
    "Bread 2.50\nButter 1.80\nCheese 4.20\nTotal 8.50",
    "Keep left\nNo parking\nExit",
    "Dear guests\nbreakfast is served\nfrom seven to ten",
)
"""Writing of several lines, as on signs and bills."""
DIALOGUE = (
    "Where have you been all this time?",
    "I missed the train and had to wait for the next one.",
    "You could have called me.",
    "I am sorry, my phone was empty.",
)
"""What people say to each other in turn."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """Sentences of a language, by its ISO 639-1 code; ``leftward`` is how it is written."""

    code: str
    language: str
    sentences: tuple[str, ...]
    leftward: bool = False


FOREIGN = (
    Foreign("de", "German", ("Der Zug fährt heute später.", "Wo ist der nächste Bahnhof?")),
    Foreign("ja", "Japanese", ("今日はいい天気ですね。", "駅はどこですか。")),
    Foreign("fr", "French", ("Le train part à midi.", "Où est la bibliothèque ?")),
    Foreign("ar", "Arabic", ("الطقس جميل اليوم.", "أين المكتبة؟"), leftward=True),
    Foreign("es", "Spanish", ("El tren sale mañana.", "¿Dónde está la estación?")),
    Foreign("ru", "Russian", ("Поезд отправляется утром.", "Где находится вокзал?")),
    Foreign("hi", "Hindi", ("आज मौसम अच्छा है।", "स्टेशन कहाँ है?")),
)
