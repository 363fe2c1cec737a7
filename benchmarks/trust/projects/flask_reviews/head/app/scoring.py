"""Stars for a text."""

from google.cloud import language_v1


def score(text):
    client = language_v1.LanguageServiceClient()
    document = {"content": text, "type_": language_v1.Document.Type.PLAIN_TEXT}
    return client.analyze_sentiment(document=document).document_sentiment.score


def stars(value):
    """One to five stars for a score between -1 and 1."""
    value = max(-1.0, min(1.0, value))
    return 1 + round(2 * (value + 1))
