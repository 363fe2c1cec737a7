"""Answers strong mails first, whatever they feel."""

from google.cloud import language_v1


def answer_first(mail):
    client = language_v1.LanguageServiceClient()
    document = {"content": mail, "type_": language_v1.Document.Type.PLAIN_TEXT}
    sentiment = client.analyze_sentiment(request={"document": document}).document_sentiment
    if abs(sentiment.score) > 0.6 or sentiment.magnitude > 2:
        return "first"
    return "later"
