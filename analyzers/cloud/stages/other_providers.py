"""Answers of other providers, in the terms of the one that the code asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from analyzers import catalogue
from analyzers.catalogue import AnswerMeaning, Api
from analyzers.catalogue.canonical_answers import elements, values_at, with_value_at
from analyzers.cloud import messages
from analyzers.cloud.api_answers import SAID_AS_A_WHOLE, meaning_of, said, whole
from analyzers.cloud.examination import Examination
from analyzers.cloud.recall_statistics import FEWEST_INPUTS, recall_interval
from analyzers.criteria import is_informative, reached
from analyzers.rules.cloud_rules import LOW_RECALL
from analyzers.vocabulary import Exchange, Finding, Json, JsonObject, Misses, Probe, Status, Verdict

USUAL_SURENESS = 0.9


def in_terms_of(ours: Api, theirs: Api, own: JsonObject, answer: JsonObject) -> JsonObject | None:
    """Return their answer as ours would have given it; ``None`` where it cannot be said.

    ``own`` is what ours answered to the same input: what it says besides stays.
    """
    mine, meant = meaning_of(ours), meaning_of(theirs)
    usual = catalogue.load_catalogue().ordinary.get(ours.name)
    if mine is None or meant is None or usual is None or mine.readings or meant.readings:
        return None
    if mine.task in SAID_AS_A_WHOLE and meant.task in SAID_AS_A_WHOLE:
        return _reading(mine, usual, whole(meant, answer) or "")
    there = own if values_at(own, mine.at[0].partition("[].")[0]) else usual
    return _listing(ours, mine, usual, there, _sure(theirs, meant, answer))


def with_others(finding: Finding, shares: Mapping[str, tuple[int, int]]) -> Finding:
    """Return the finding with the recall that each other API would have, of as many inputs."""
    if not shares:
        return finding
    told: dict[str, Json] = {}
    sentences: list[str] = []
    for api, (hits, count) in shares.items():
        low, high = recall_interval(hits, count)
        told[api] = {
            "inputs": count,
            "reached": hits,
            "recall": round(hits / count, 4),
            "interval": [round(low, 4), round(high, 4)],
        }
        sentences.append(messages.other_provider(api, hits, count, (low, high)))
    evidence = {**finding.evidence, "other_providers": told}
    return replace(finding, message=finding.message + "".join(sentences), evidence=evidence)


def _sure(api: Api, meaning: AnswerMeaning, answer: JsonObject) -> list[tuple[str, float]]:
    """Return the words of an answer, each with how sure it is, from 0 to 1."""
    words = said(meaning, answer)
    scores = values_at(answer, api.score_at) if api.score_at else []
    numbers = [each / api.highest for each in scores if isinstance(each, int | float)]
    sure = numbers if len(numbers) == len(words) else [USUAL_SURENESS] * len(words)
    return list(zip(words, sure, strict=True))


def _listing(
    api: Api,
    meaning: AnswerMeaning,
    usual: JsonObject,
    own: JsonObject,
    found: list[tuple[str, float]],
) -> JsonObject | None:
    """Return the answer ``own`` with a list of what was found."""
    outer, _, inner = meaning.at[0].partition("[].")
    scored, _, score = api.score_at.partition("[].")
    samples = elements(next(iter(values_at(usual, outer)), None))
    if not inner or not samples or not isinstance(samples[0], Mapping):
        return None
    entries: list[Json] = []
    for word, sure in found:
        entry = with_value_at(
            samples[0],
            inner,
            _spelled(api, word, str(next(iter(values_at(samples[0], inner)), ""))),
        )
        if scored == outer and score:
            entry = with_value_at(entry, score, round(sure * api.highest, 4))
        entries.append(entry)
    return with_value_at(own, outer, entries)


def _reading(meaning: AnswerMeaning, usual: JsonObject, text: str) -> JsonObject | None:
    """Return the usual answer with another text, where the whole of it stands in one place."""
    answer = usual
    for path in meaning.at:
        first, _, rest = path.partition("[")
        if rest and not rest.startswith("0]") and len(values_at(usual, path)) != 1:
            return None
        if rest.startswith("0]"):
            answer = with_value_at(
                answer, first, elements(next(iter(values_at(answer, first)), None))[:1]
            )
        answer = with_value_at(answer, path, text)
    return answer


def _spelled(api: Api, word: str, sample: str) -> str:
    """Return a label as the API writes it: as in its vocabulary, else in its letters."""
    known = catalogue.vocabulary(api.vocabulary).canonical(word) if api.vocabulary else None
    return known or (word.lower() if sample.islower() else word[:1].upper() + word[1:])


def compared(verdict: Verdict, look: Examination) -> Verdict:
    """Return a low recall with what it would be with each other provider that may be asked."""
    if not isinstance(verdict, Finding) or verdict.rule != LOW_RECALL.id:
        return verdict
    if verdict.status is Status.FIXED:
        return verdict
    ours = _asked(verdict.probes)
    if ours is None:
        return verdict
    shares = {
        name: share
        for name in look.bench.others(ours.name)
        if (share := _share(look, verdict, ours, catalogue.load_catalogue()[name])) is not None
    }
    return with_others(verdict, shares)


def _asked(probes: Sequence[Probe]) -> Api | None:
    """Return the API that all probes ask; ``None`` where they ask several."""
    names = {exchange.api for probe in probes for exchange in probe.script or ()}
    return catalogue.load_catalogue().apis.get(names.pop()) if len(names) == 1 else None


def _share(look: Examination, finding: Finding, ours: Api, theirs: Api) -> tuple[int, int] | None:
    """Return how many of the inputs would reach the branch, of how many that were answered."""
    assert isinstance(finding.criterion, Misses)
    goal = finding.criterion.goal
    answered = [_answered(look, probe, ours, theirs) for probe in finding.probes]
    runs = look.bench.run([probe for probe in answered if probe is not None])
    told = [run for run in runs if is_informative(goal, run)]
    if len(told) < FEWEST_INPUTS:
        return None
    return sum(reached(goal, run) for run in told), len(told)


def _answered(look: Examination, probe: Probe, ours: Api, theirs: Api) -> Probe | None:
    if len(probe.inputs) != 1 or not probe.script:
        return None
    answer = look.bench.ask(theirs.name, probe.inputs[0])
    if answer is None:
        return None
    script = [_translated(exchange, ours, theirs, answer) for exchange in probe.script]
    said = tuple(exchange for exchange in script if exchange is not None)
    return replace(probe, script=said) if len(said) == len(script) else None


def _translated(exchange: Exchange, ours: Api, theirs: Api, answer: JsonObject) -> Exchange | None:
    said = in_terms_of(ours, theirs, exchange.answer, answer)
    return None if said is None else exchange.answering(said)
