"""Chooses music by the tone of a message."""

from google.cloud import language_v1


def playlist(message):
    client = language_v1.LanguageServiceClient()
    document = language_v1.Document(content=message, type_=language_v1.Document.Type.PLAIN_TEXT)
    feeling = client.analyze_sentiment(request={"document": document}).document_sentiment
    if feeling.score < -0.05 and feeling.magnitude > 0:
        return "sad songs"
    return "happy songs"
