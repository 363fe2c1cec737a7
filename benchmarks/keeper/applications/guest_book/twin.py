"""Colours the entries of a guest book; the second version of the service."""

from google.cloud import language_v2


class GuestBook:
    """Entries are shown without line breaks and dashes."""

    def __init__(self):
        self.client = language_v2.LanguageServiceClient()

    def colour(self, entry):
        text = entry.replace("\n", " ").strip(" -")
        document = {"content": text, "type_": language_v2.Document.Type.PLAIN_TEXT}
        answer = self.client.analyze_sentiment(request={"document": document})
        if answer.document_sentiment.score > 0.05:
            return "green"
        if answer.document_sentiment.score < -0.05:
            return "red"
        return "grey"
