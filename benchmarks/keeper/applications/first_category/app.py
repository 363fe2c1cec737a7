"""Puts a book on a shelf."""

from google.cloud import language_v1


def shelf(text):
    client = language_v1.LanguageServiceClient()
    document = {"content": text, "type_": "PLAIN_TEXT"}
    best = client.classify_text(document=document).categories[0]
    if best.confidence < 0.4:
        return "unsorted"
    return best.name.split("/")[1]
