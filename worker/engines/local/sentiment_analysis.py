"""The sentiment of English texts in the words of AWS, Azure and Hugging Face, here by VADER."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from functools import cached_property
from importlib.util import find_spec
from typing import TypeAlias

from analyzers.vocabulary import Json, JsonObject
from worker.engines.engine import (
    ApiRequest,
    LocalEngine,
    NoAnswer,
    NotAsked,
    expect_english,
    given_text,
)

API = "google.language.analyze_sentiment"
PACKAGE = "vaderSentiment"
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


class LocalSentiment(LocalEngine):
    """Rates texts; the lexicon is loaded with the first one."""

    package = PACKAGE
    apis: Container[str] = (API,)

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return an ``AnalyzeSentimentResponse``; raise ``NoAnswer``.

        The score is VADER's compound polarity (-1 to 1; of long texts the sentences' mean),
        the magnitude the sum of the sentences' absolute scores; both have one decimal.
        """
        del api
        text = given_text(request, MOST_CHARACTERS)
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


COMPREHEND = frozenset({"aws.comprehend.detect_sentiment", "aws.comprehend.batch_detect_sentiment"})
AZURE = "azure.language.analyze_sentiment"
HUGGINGFACE = "huggingface.text_classification"
CLEAR = 0.05
"""Compound polarity from which on VADER's authors call a text positive."""

# the classes of models that rate sentiment, by a part of their name
_CLASSES = {
    "sst-2": ("POSITIVE", "NEGATIVE"),
    "sst2": ("POSITIVE", "NEGATIVE"),
    "twitter-roberta-base-sentiment-latest": ("positive", "neutral", "negative"),
    "twitter-xlm-roberta-base-sentiment": ("positive", "neutral", "negative"),
}
_DEFAULT = "distilbert-base-uncased-finetuned-sst-2-english"


class LocalSentimentLabels(LocalSentiment):
    """Says which feeling a text has; the lexicon is loaded with the first one."""

    apis = COMPREHEND | {AZURE, HUGGINGFACE}

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the response of AWS, Azure or a pipeline; raise ``NoAnswer``.

        A text is positive or negative from a compound polarity of 0.05 on; it is never mixed.
        """
        text = given_text(request, MOST_CHARACTERS)
        expect_english(request)
        if api == HUGGINGFACE:
            return _classified(self.polarity(text), request.parameters)
        scores = _scores(self.polarity(text))
        return _azure(scores, text) if api == AZURE else _comprehend(scores)


def _comprehend(scores: Mapping[str, float]) -> JsonObject:
    share = {name.title(): score for name, score in scores.items()}
    return {"Sentiment": _surest(scores).upper(), "SentimentScore": {**share, "Mixed": 0.0}}


def _azure(scores: Mapping[str, float], text: str) -> JsonObject:
    rated: JsonObject = {name: round(score, 2) for name, score in scores.items()}
    sentence: JsonObject = {
        "text": text,
        "sentiment": _surest(scores),
        "confidence_scores": rated,
        "offset": 0,
        "length": len(text),
    }
    return {
        "sentiment": _surest(scores),
        "confidence_scores": rated,
        "sentences": [sentence] if text.strip() else [],
        "warnings": [],
    }


def _classified(polarity: float, parameters: JsonObject) -> JsonObject:
    """All classes of a model that rates sentiment, the surest first.  Raises ``NotAsked``."""
    model = str(parameters.get("model") or _DEFAULT).casefold()
    classes = next((known for part, known in _CLASSES.items() if part in model), None)
    if classes is None:
        raise NotAsked(
            f"the local engine does not know the classes of {model[:80]}: set"
            ' [engines."huggingface"] kind = "provider" and its credentials'
        )
    positive = round(0.5 + polarity / 2, 4)
    scores = {"positive": positive, "negative": round(1 - positive, 4)}
    if len(classes) > len(scores):
        scores = _scores(polarity)
    rated = sorted(((scores[name.lower()], name) for name in classes), reverse=True)
    return {"elements": [{"label": name, "score": score} for score, name in rated]}


def _surest(scores: Mapping[str, float]) -> str:
    return max(scores, key=lambda name: scores[name])


def _scores(polarity: float) -> dict[str, float]:
    sure = round(0.5 + abs(polarity) / 2, 4)
    if abs(polarity) < CLEAR:
        return {"positive": 0.02, "neutral": 0.96, "negative": 0.02}
    rest = round(1 - sure, 4)
    if polarity > 0:
        return {"positive": sure, "neutral": rest, "negative": 0.0}
    return {"positive": 0.0, "neutral": rest, "negative": sure}
