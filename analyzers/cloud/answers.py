"""What an ML answer says, in the terms of its task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzers.catalogue import Api
from analyzers.vocabulary import Exchange, Json, JsonObject

POSITIVE, NEGATIVE, NEUTRAL = "positive", "negative", "neutral"
CLEAR_SCORE = 0.25
TEXT_TASKS = frozenset({"text", "document"})


def values(answer: Json, path: str) -> list[Json]:
    """All values at a catalogue path such as ``label_annotations[].score``."""
    found: list[Json] = [answer]
    for step in path.split("."):
        name, many = step.removesuffix("[]"), step.endswith("[]")
        found = [v[name] for v in found if isinstance(v, Mapping) and name in v]
        if many:
            found = [item for v in found if _is_list(v) for item in _items(v)]
    return found


def _is_list(value: Json) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _items(value: Json) -> list[Json]:
    return list(value) if isinstance(value, Sequence) else []


def labels_of(api: Api, answer: JsonObject) -> tuple[str, ...]:
    """The labels (names, descriptions) of an answer, most confident first."""
    return tuple(str(value) for value in values(answer, api.key or ""))


def text_of(answer: JsonObject) -> str | None:
    """The whole text that a text detection read, ``None`` for nothing."""
    whole = values(answer, "full_text_annotation.text") or values(
        answer, "text_annotations[].description"
    )
    text = str(whole[0]).strip() if whole else ""
    return text or None


def polarity_of(answer: JsonObject) -> str:
    """``positive``, ``negative`` or ``neutral`` by the document's score."""
    score = values(answer, "document_sentiment.score")
    value = score[0] if score else 0.0
    if not isinstance(value, int | float) or abs(value) < CLEAR_SCORE:
        return NEUTRAL
    return POSITIVE if value > 0 else NEGATIVE


def reading_of(api: Api, answer: JsonObject, near: str) -> str | None:
    """The human reading that an answer stands for.

    Of several labels the one that stands in the code nearby (``near``, the
    text of the condition) is meant, else the most confident.
    """
    if api.task in TEXT_TASKS:
        return text_of(answer)
    if api.task == "sentiment":
        return polarity_of(answer)
    names = labels_of(api, answer)
    wanted = [name for name in names if name and name.casefold() in near.casefold()]
    return next(iter([*wanted, *names]), None)


def alone(api: Api, answer: JsonObject, label: str) -> JsonObject:
    """The answer with no other labels than this one."""
    name, _, field = (api.key or "").partition("[].")
    entries = answer.get(name)
    if not field or not _is_list(entries):
        return answer
    return {**answer, name: [entry for entry in _items(entries) if label in values(entry, field)]}


def same_text(left: str, right: str) -> bool:
    """Whether two texts are the same words, however they are set in lines."""
    return left.split() == right.split()


def answers_to(api: str, exchanges: Sequence[Exchange]) -> list[JsonObject]:
    """The answers that one API gave."""
    return [exchange.answer for exchange in exchanges if exchange.api == api]
