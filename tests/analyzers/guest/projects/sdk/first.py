from google.cloud import language, vision


def classify(content):
    client = vision.Client()
    image = client.image(content=content)
    return [label.description for label in image.detect_labels(limit=2)]


def mood(text):
    client = language.Client()
    document = client.document_from_text(text)
    sentiment = document.analyze_sentiment().sentiment
    return "good" if sentiment.score > 0.5 else "bad"


def everything(function, argument):
    return globals()[function](argument)
