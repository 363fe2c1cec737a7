"""Whether a review is good."""

from transformers import pipeline

analyse = pipeline("sentiment-analysis")


def good(review):
    result = analyse(review)[0]
    if result["label"] == "POSITIVE" and result["score"] > 0.5:
        return True
    return False
