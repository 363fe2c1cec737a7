"""The two services that the desk asks."""

from google.cloud import language_v1, vision


def words_on(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as scan:
        image = vision.Image(content=scan.read())
    return client.text_detection(image=image).text_annotations


def whole_text(path):
    words = words_on(path)
    return words[0].description if words else ""


def feeling(text):
    client = language_v1.LanguageServiceClient()
    document = language_v1.Document(content=text, type_=language_v1.Document.Type.PLAIN_TEXT)
    return client.analyze_sentiment(request={"document": document})
