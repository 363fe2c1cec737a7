"""Replies to a line that is typed in."""

from google.cloud import language_v1


def reply():
    line = input("How was your day? ").strip()
    client = language_v1.LanguageServiceClient()
    document = {"content": line, "type_": language_v1.Document.Type.PLAIN_TEXT}
    score = client.analyze_sentiment(request={"document": document}).document_sentiment.score
    if score > 0.05:
        return "good to hear"
    return "I am sorry"
