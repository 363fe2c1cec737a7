"""The sentiment of English texts in the words of AWS, Azure and Hugging Face, here by VADER."""

from __future__ import annotations

from collections.abc import Mapping

from analyzers.vocabulary import JsonObject
from worker.engines.request import ApiRequest, NoAnswer, NotAsked
from worker.engines.sentiment import MOST_CHARACTERS, LocalSentiment

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


class LocalMoods(LocalSentiment):
    """Says which feeling a text has; the lexicon is loaded with the first one."""

    def answers(self, api: str) -> bool:
        """The sentiment of a document, as AWS, Azure and Hugging Face say it."""
        return api in COMPREHEND or api in {AZURE, HUGGINGFACE}

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """``DetectSentiment``'s response, Azure's of one document, or a pipeline's classes.

        A text is positive or negative from a compound polarity of 0.05 on; it is
        never mixed.

        Raises:
            NoAnswer: there is no text, it is not to be read as English, it has
                more than 20,000 characters, the model's classes are not known,
                or the engine is not installed.

        """
        if request.text is None:
            raise NoAnswer("the local engine reads texts, not addresses of texts")
        if len(request.text) > MOST_CHARACTERS:
            raise NoAnswer(f"the local engine rates texts of at most {MOST_CHARACTERS} characters")
        asked = request.parameters.get("LanguageCode") or request.parameters.get("language")
        if asked and not str(asked).casefold().startswith("en"):
            raise NoAnswer(f"the local engine reads English, not {asked!r}")
        if api == HUGGINGFACE:
            return _classified(self.polarity(request.text), request.parameters)
        scores = _scores(self.polarity(request.text))
        return _azure(scores, request.text) if api == AZURE else _comprehend(scores)


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
    """Shares of the three feelings, the highest that of the text's own."""
    sure = round(0.5 + abs(polarity) / 2, 4)
    if abs(polarity) < CLEAR:
        return {"positive": 0.02, "neutral": 0.96, "negative": 0.02}
    rest = round(1 - sure, 4)
    if polarity > 0:
        return {"positive": sure, "neutral": rest, "negative": 0.0}
    return {"positive": 0.0, "neutral": rest, "negative": sure}
