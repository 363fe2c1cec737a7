"""Gives stars to a review."""

from google.cloud import language
from google.cloud.language import enums, types


def stars(review):
    client = language.LanguageServiceClient()
    document = types.Document(content=review, type=enums.Document.Type.PLAIN_TEXT)
    sentiment = client.analyze_sentiment(document=document).document_sentiment
    if sentiment.score > -0.9:
        return 5
    return 1
