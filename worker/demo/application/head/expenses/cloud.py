"""The two cloud services that the desk asks."""

from google.cloud import language_v1, vision


class Eyes:
    """Reads what stands on a photograph."""

    def __init__(self):
        self.client = vision.ImageAnnotatorClient()

    def annotations(self, path):
        with open(path, "rb") as photograph:
            image = vision.Image(content=photograph.read())
        response = self.client.text_detection(image=image)
        if response.error.message:
            raise RuntimeError(response.error.message)
        return response.text_annotations


def sentiment_of(comment):
    client = language_v1.LanguageServiceClient()
    document = language_v1.Document(
        content=comment, type_=language_v1.Document.Type.PLAIN_TEXT
    )
    return client.analyze_sentiment(request={"document": document})
