"""What another provider says, in the terms of the one that the code asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from analyzers import catalogue
from analyzers.catalogue import Api, Meaning
from analyzers.catalogue.paths import elements, put, values
from analyzers.cloud.answers import SAID_AS_A_WHOLE, meaning_of, said, whole
from analyzers.cloud.branches import percent
from analyzers.cloud.statistics import recall_interval
from analyzers.vocabulary import Finding, Json, JsonObject

USUAL_SURENESS = 0.9


def in_terms_of(ours: Api, theirs: Api, own: JsonObject, answer: JsonObject) -> JsonObject | None:
    """Their answer as ours would have given it; ``None`` where it cannot be said.

    ``own`` is what ours answered to the same input: what it says besides stays.
    """
    mine, meant = meaning_of(ours), meaning_of(theirs)
    usual = catalogue.load().ordinary.get(ours.name)
    if mine is None or meant is None or usual is None or mine.readings or meant.readings:
        return None
    if mine.task in SAID_AS_A_WHOLE and meant.task in SAID_AS_A_WHOLE:
        return _reading(mine, usual, whole(meant, answer) or "")
    there = own if values(own, mine.at[0].partition("[].")[0]) else usual
    return _listing(ours, mine, usual, there, _sure(theirs, meant, answer))


def with_others(finding: Finding, shares: Mapping[str, tuple[int, int]]) -> Finding:
    """The finding with the recall that each other API would have, of as many inputs."""
    if not shares:
        return finding
    told: dict[str, Json] = {}
    sentences: list[str] = []
    for api, (hits, count) in shares.items():
        low, high = recall_interval(hits, count)
        recall = hits / count
        told[api] = {
            "inputs": count,
            "reached": hits,
            "recall": round(recall, 4),
            "interval": [round(low, 4), round(high, 4)],
        }
        sentences.append(
            f"\nWith the answers of `{api}` to the same inputs {hits} of {count} would reach it:"
            f" recall {percent(recall)} (95 % interval {percent(low, high)})."
        )
    evidence = {**finding.evidence, "other_providers": told}
    return replace(finding, message=finding.message + "".join(sentences), evidence=evidence)


def _sure(api: Api, meaning: Meaning, answer: JsonObject) -> list[tuple[str, float]]:
    """The words of an answer, each with how sure it is, from 0 to 1."""
    words = said(meaning, answer)
    scores = values(answer, api.score_at) if api.score_at else []
    numbers = [each / api.highest for each in scores if isinstance(each, int | float)]
    sure = numbers if len(numbers) == len(words) else [USUAL_SURENESS] * len(words)
    return list(zip(words, sure, strict=True))


def _listing(
    api: Api, meaning: Meaning, usual: JsonObject, own: JsonObject, found: list[tuple[str, float]]
) -> JsonObject | None:
    """The answer ``own`` with a list of what was found."""
    outer, _, inner = meaning.at[0].partition("[].")
    scored, _, score = api.score_at.partition("[].")
    samples = elements(next(iter(values(usual, outer)), None))
    if not inner or not samples or not isinstance(samples[0], Mapping):
        return None
    entries: list[Json] = []
    for word, sure in found:
        entry = put(samples[0], inner, _spelled(api, word, _sample(samples[0], inner)))
        if scored == outer and score:
            entry = put(entry, score, round(sure * api.highest, 4))
        entries.append(entry)
    return put(own, outer, entries)


def _reading(meaning: Meaning, usual: JsonObject, text: str) -> JsonObject | None:
    """The usual answer with another text, where the whole of it stands in one place."""
    answer = usual
    for path in meaning.at:
        first, _, rest = path.partition("[")
        if rest and not rest.startswith("0]") and len(values(usual, path)) != 1:
            return None
        if rest.startswith("0]"):
            answer = put(answer, first, elements(next(iter(values(answer, first)), None))[:1])
        answer = put(answer, path, text)
    return answer


def _sample(element: Mapping[str, Json], inner: str) -> str:
    return str(next(iter(values(element, inner)), ""))


def _spelled(api: Api, word: str, sample: str) -> str:
    """A label as the API writes it: as in its vocabulary, else in its letters."""
    known = catalogue.vocabulary(api.vocabulary).canonical(word) if api.vocabulary else None
    return known or (word.lower() if sample.islower() else word[:1].upper() + word[1:])
