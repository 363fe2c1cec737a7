"""Names the topic of a text."""

from transformers import pipeline

classifier = pipeline("zero-shot-classification")


def topic(text):
    result = classifier(text, candidate_labels=["politics", "sports", "travel"])
    if result["scores"][0] < 0.5:
        return None
    if result["labels"][0] == "politics":
        return "P"
    if result["labels"][0] == "sports":
        return "S"
    return "T"
