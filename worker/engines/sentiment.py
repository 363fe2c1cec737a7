"""Sentiment of English text on this machine, by VADER (Hutto & Gilbert, 2014)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib.util import find_spec
from typing import TypeAlias

from analyzers.vocabulary import Json, JsonObject
from worker.engines.identity import local_identity
from worker.engines.request import ApiRequest, NoAnswer

API = "google.language.analyze_sentiment"
PACKAGE = "vaderSentiment"
_REVISION = 1
MOST_CHARACTERS = 20_000
LONG = 1000
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?]++[\"')\]]*+(?=\s|$)|(?=\n)|$)")
_TAG = re.compile(r"<[^<>]*>")
_UNITS: dict[str, Callable[[str], int]] = {
    "UTF8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "UTF16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
    "UTF32": len,
}

Polarity: TypeAlias = Callable[[str], float]


class LocalSentiment:
    """Rates texts; the lexicon is loaded with the first one."""

    local = True

    def __init__(self) -> None:
        self.identity = local_identity(PACKAGE, _REVISION)

    def answers(self, api: str) -> bool:
        """Google's sentiment of a document."""
        return api == API

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """An ``AnalyzeSentimentResponse``.

        The score is VADER's compound polarity (−1 … 1), the magnitude the sum
        of the sentences' absolute scores (0 …); both have one decimal, as
        Google's have.  The score of a text of more than 1,000 characters is
        the mean of its sentences'.  An empty text is neutral, without sentences.

        Raises:
            NoAnswer: there is no text, it has more than 20,000 characters, or
                the engine is not installed.

        """
        del api
        if request.text is None:
            raise NoAnswer("the local engine reads texts, not addresses of texts")
        if len(request.text) > MOST_CHARACTERS:
            raise NoAnswer(f"the local engine rates texts of at most {MOST_CHARACTERS} characters")
        text = request.text
        if request.parameters.get("type") == "HTML":
            text = _TAG.sub(" ", text)
        unit = _UNITS.get(str(request.parameters.get("encoding_type")))
        rated = [(start, part, self.polarity(part)) for start, part in _sentences(text)]
        scores = [score for _, _, score in rated]
        whole = self.polarity(text) if len(text) <= LONG else sum(scores) / max(1, len(scores))
        return {
            "document_sentiment": _sentiment(whole, sum(map(abs, scores))),
            "language": str(request.parameters.get("language") or "en"),
            "sentences": [
                _sentence(part, score, -1 if unit is None else unit(text[:start]))
                for start, part, score in rated
            ],
        }

    @cached_property
    def polarity(self) -> Polarity:
        """The compound polarity (−1 … 1) of a text.  Raises ``NoAnswer``."""
        if find_spec("vaderSentiment") is None:
            raise NoAnswer(f"no engine for sentiment: install {PACKAGE}")
        from vaderSentiment.vaderSentiment import (  # noqa: PLC0415 - reads its lexicon
            SentimentIntensityAnalyzer,
        )

        analyzer = SentimentIntensityAnalyzer()

        def polarity(text: str) -> float:
            return float(analyzer.polarity_scores(text)["compound"])

        return polarity


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Sentences, cut where they are long, with the offset of their first character."""
    for match in _SENTENCE.finditer(text):
        for start in range(match.start(), match.end(), LONG):
            part = text[start : min(start + LONG, match.end())]
            sentence = part.strip()
            if sentence:
                yield start + part.index(sentence), sentence


def _sentence(sentence: str, score: float, offset: int) -> Json:
    return {
        "text": {"content": sentence, "begin_offset": offset},
        "sentiment": _sentiment(score, abs(score)),
    }


def _sentiment(score: float, magnitude: float) -> JsonObject:
    return {"score": round(score, 1) + 0.0, "magnitude": round(magnitude, 1) + 0.0}
