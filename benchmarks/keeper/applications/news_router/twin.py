"""Sends an article to a desk."""

from google.cloud import language_v1


def desk(text):
    client = language_v1.LanguageServiceClient()
    document = language_v1.Document(content=text, type_=language_v1.Document.Type.PLAIN_TEXT)
    categories = client.classify_text(request={"document": document}).categories
    for category in categories:
        if "/Sports" in category.name:
            return "sports"
        if category.name.startswith("/Arts & Entertainment"):
            return "culture"
    return "news"
