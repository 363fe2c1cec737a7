"""Asks how a text feels."""

from google.cloud import language_v1

client = language_v1.LanguageServiceClient()


def score_of(text):
    document = language_v1.Document(content=text, type_=language_v1.Document.Type.PLAIN_TEXT)
    return client.analyze_sentiment(document=document).document_sentiment.score
