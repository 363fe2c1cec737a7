"""Judges a comment, without the sign in front of it."""

from google.cloud import language_v1


def verdict(comment):
    text = comment[1:].strip()
    client = language_v1.LanguageServiceClient()
    document = {"content": text, "type_": "PLAIN_TEXT"}
    score = client.analyze_sentiment(request={"document": document}).document_sentiment.score
    if score > 0.05:
        return "like"
    elif score < -0.05:
        return "dislike"
    return "none"
