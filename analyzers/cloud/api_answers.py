"""Readings of ML answers, in the terms of their task.

Everything is read through the catalogue's description of the API
(``catalogue.Meaning``); no provider's shapes are known here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from analyzers import catalogue
from analyzers.catalogue import AnswerMeaning, Api
from analyzers.catalogue.canonical_answers import values_at, with_elements_kept, with_value_at
from analyzers.vocabulary import Exchange, Json, JsonObject, Probe, Run

POSITIVE, NEGATIVE, NEUTRAL = "positive", "negative", "neutral"
TEXT_TASKS = frozenset({"text", "document", "speech"})
SAID_AS_A_WHOLE = TEXT_TASKS | {"caption"}
LONGEST_WORD = 60
SURE = 0.99
"""The share of its highest score with which an API says what it is sure of."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A description of an input by a person, and the task of finding it."""

    task: str
    text: str


def meaning_of(api: Api, task: str | None = None) -> AnswerMeaning | None:
    """Return what the API says about a task: without one, its first meaning.

    A language model says whatever it was asked for.
    """
    return next((each for each in api.says if each.inside or task in (None, each.task)), None)


def meanings_of(api: Api, task: str | None = None) -> tuple[AnswerMeaning, ...]:
    """Return all that the API says about a task: of entities their kinds, and their names."""
    first = meaning_of(api, task)
    return tuple(each for each in api.says if first is not None and each.task == first.task)


def meaning_by(
    api: Api, task: str | None, answer: JsonObject, reading: str
) -> AnswerMeaning | None:
    """By what an answer has a reading; the first meaning of the task where by none."""
    return next(
        (each for each in meanings_of(api, task) if reads(each, answer, reading)),
        meaning_of(api, task),
    )


def reads(meaning: AnswerMeaning, answer: JsonObject, reading: str) -> bool:
    """Return whether an answer has a reading by a meaning."""
    return any(human(meaning, word) == reading for word in said(meaning, answer))


def said(meaning: AnswerMeaning | None, answer: JsonObject) -> tuple[str, ...]:
    """Return what stands at a meaning's place, in the provider's words, the surest first.

    Of classes only those that have a reading; a number is its feeling.
    """
    for path in meaning.at if meaning else ():
        found = [value for value in values_at(answer, path) if value not in (None, "")]
        if found:
            return tuple(word for value in found for word in _words(meaning, value))
    return ()


def _words(meaning: AnswerMeaning | None, value: object) -> tuple[str, ...]:
    assert meaning is not None
    if meaning.clear is not None:
        return (_feeling(value, meaning.clear),)
    if meaning.inside:
        return _inside(str(value))
    word = str(value)
    return (word,) if not meaning.readings or human(meaning, word) else ()


def _inside(text: str) -> tuple[str, ...]:
    """Return the words in what a language model wrote: of JSON its values."""
    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError):
        parsed = text.strip()
    return tuple(word for word in _strings(parsed) if 0 < len(word) <= LONGEST_WORD)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in cast("Mapping[str, object]", value).values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _strings(each)


def _feeling(value: object, clear: float) -> str:
    if not isinstance(value, int | float) or abs(value) < clear:
        return NEUTRAL
    return POSITIVE if value > 0 else NEGATIVE


def human(meaning: AnswerMeaning, word: str) -> str | None:
    """Return what a person would say for the provider's word; ``None`` for no class of it."""
    if not meaning.readings:
        return word
    folded = {name.casefold(): reading for name, reading in meaning.readings.items()}
    return folded.get(word.casefold())


def whole(meaning: AnswerMeaning | None, answer: JsonObject) -> str | None:
    """Return the whole text that was read, heard or written, ``None`` for nothing."""
    text = "\n".join(said(meaning, answer)).strip()
    return text or None


def reading_of(api: Api, answer: JsonObject, near: str) -> Reading | None:
    """Return the human reading that an answer stands for.

    Of several labels the one that stands in the code nearby (``near``, the
    text of the condition) is meant, else the most confident.  What an API
    says of any input at all, such as a caption, is not meant.
    """
    usual = catalogue.load_catalogue().ordinary.get(api.name, {})
    for meaning in api.says:
        found = said(meaning, answer)
        if not found or (len(api.says) > 1 and found == said(meaning, usual)):
            continue
        if meaning.task in SAID_AS_A_WHOLE:
            text = whole(meaning, answer)
            return Reading(meaning.task, text) if text else None
        wanted = [word for word in found if word.casefold() in near.casefold()]
        if meaning.inside and not wanted:
            continue
        text = human(meaning, (wanted or found)[0])
        return Reading(meaning.task, text) if text else None
    return None


def alone(meaning: AnswerMeaning | None, answer: JsonObject, label: str) -> JsonObject:
    """Return the answer with no other labels than this one."""
    if meaning is None or meaning.task in SAID_AS_A_WHOLE or meaning.inside:
        return answer
    for path in meaning.at:
        answer = with_elements_kept(answer, path, lambda value: human(meaning, str(value)) == label)
    return answer


_BEST = re.compile(r".*?\[\^(\w+)\]")


def sure(api: Api, answer: JsonObject) -> JsonObject:
    """Return the answer with nothing in it that the API is not sure of."""
    best = (_BEST.match(path) for meaning in api.says for path in meaning.at)
    paths = [api.score_at, *(f"{found[0]}.{found[1]}" for found in best if found)]
    for path in filter(None, paths):
        scores = values_at(answer, path)
        if scores and all(isinstance(score, int | float) for score in scores):
            answer = with_value_at(answer, path, SURE * api.highest)
    return answer


def saying(meaning: AnswerMeaning, answer: JsonObject, word: str) -> JsonObject:
    """Return the answer with another word wherever the meaning stands."""
    for path in meaning.at:
        answer = with_value_at(answer, path, word)
    return answer


def renamed(answer: JsonObject, old: str, new: str) -> JsonObject:
    """Return the answer with another word wherever the old one stands by itself."""
    return {name: _with_word(value, old, new) for name, value in answer.items()}


def _with_word(value: Json, old: str, new: str) -> Json:
    if isinstance(value, str):
        return new if value == old else value
    if isinstance(value, Mapping):
        return {name: _with_word(each, old, new) for name, each in value.items()}
    if isinstance(value, Sequence):
        return [_with_word(each, old, new) for each in value]
    return value


def says_nothing(api: Api | None, answer: JsonObject) -> bool:
    """Return whether the API found nothing in its input."""
    if api is None or not api.says:
        return not any(answer.values())
    return not any(said(meaning, answer) for meaning in api.says)


def same_text(left: str, right: str) -> bool:
    """Return whether two texts are the same words, however they are set in lines."""
    return left.split() == right.split()


def answers_to(api: str, exchanges: Sequence[Exchange]) -> list[JsonObject]:
    """Return the answers that one API gave."""
    return [exchange.answer for exchange in exchanges if exchange.api == api]


FREE_FORM_TASKS = frozenset({"chat", "completion"})
"""Tasks whose answer is whatever the question asks for."""


def sample_script(apis: Sequence[Api]) -> tuple[Exchange, ...] | None:
    """Return an everyday answer of each API; ``None`` where one has none here."""
    if not apis or not all(fully_modelled(api.name) for api in apis):
        return None
    answers = catalogue.load_catalogue().ordinary
    return tuple(Exchange(api.name, "", answers[api.name]) for api in apis)


def with_sample_answers(probe: Probe, run: Run, apis: Sequence[Api]) -> Probe:
    """Return a probe with its run's answers; where it came to none, with everyday ones.

    They are for a repaired function, which goes on to ask.
    """
    return probe.answered(run.exchanges or sample_script(apis) or ())


def fully_modelled(api: str) -> bool:
    """Return whether made-up answers of an API have every field that a real one has.

    The search takes what it does not vary from the everyday answer.  Where labels are the
    operator's own, an everyday answer has others.
    """
    known = catalogue.load_catalogue()
    if api not in known.ordinary or known.apis[api].own_labels:
        return False
    return known.apis[api].task not in FREE_FORM_TASKS
