"""Locks mails on sensitive subjects; looks for part of the name of a category."""

from google.cloud import language_v1


def locked(text):
    client = language_v1.LanguageServiceClient()
    document = {"content": text, "type_": language_v1.Document.Type.PLAIN_TEXT}
    response = client.classify_text(request={"document": document})
    for category in response.categories:
        if "ensitive" in category.name:
            return True
    return False
