"""Topics of questions, by a zero-shot model."""

import os

from huggingface_hub import InferenceClient
from huggingface_hub.errors import HfHubHTTPError, InferenceTimeoutError

MODEL = os.environ.get("TOPIC_MODEL", "facebook/bart-large-mnli")


def client():
    return InferenceClient(model=MODEL, token=os.environ.get("HF_TOKEN"), timeout=10)


def sentiment(text):
    """The better label, or 'unknown' where nobody answers."""
    try:
        answers = client().text_classification(text)
    except (HfHubHTTPError, InferenceTimeoutError):
        return "unknown"
    if not answers:
        return "unknown"
    best = max(answers, key=lambda answer: answer.score)
    if best.score < 0.5:
        return "unknown"
    return best.label.lower()
