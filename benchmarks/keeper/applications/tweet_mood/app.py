"""The mood of a tweet."""

from google.cloud import language_v1


def mood(text):
    client = language_v1.LanguageServiceClient()
    document = {"content": text, "type_": language_v1.Document.Type.PLAIN_TEXT}
    sentiment = client.analyze_sentiment(request={"document": document}).document_sentiment
    if sentiment.score >= 0.25:
        return "positive"
    elif sentiment.score <= -0.25:
        return "negative"
    return "neutral"
