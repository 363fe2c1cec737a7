"""The average tone of a conversation's sentences."""

from google.cloud import language_v1


def tone(conversation):
    client = language_v1.LanguageServiceClient()
    document = {"content": conversation, "type_": language_v1.Document.Type.PLAIN_TEXT}
    sentences = client.analyze_sentiment(request={"document": document}).sentences
    scores = [sentence.sentiment.score for sentence in sentences]
    if scores and sum(scores) / len(scores) > 0:
        return "friendly"
    return "unfriendly"
