"""The mood on the wall."""

from google.cloud import language_v1 as language

from wall import history


def rate(text):
    client = language.LanguageServiceClient()
    document = language.Document(content=text, type_=language.Document.Type.PLAIN_TEXT)
    sentiment = client.analyze_sentiment(document=document).document_sentiment
    if sentiment.magnitude < 0.1:
        return 0.0
    return sentiment.score


def show(text):
    scores = history.append(rate(text))
    mood = history.average(scores)
    if mood > 0.2:
        return "sunny"
    if mood < -0.2:
        return "rainy"
    return "cloudy"
