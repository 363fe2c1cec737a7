"""Files articles, without waiting for one before the next."""

from google.cloud import language_v1


async def folder(article):
    client = language_v1.LanguageServiceAsyncClient()
    document = language_v1.Document(content=article, type_=language_v1.Document.Type.PLAIN_TEXT)
    answer = await client.classify_text(request={"document": document})
    if not answer.categories:
        return "other"
    best = answer.categories[0]
    topic = best.name.split("/")[1]
    if topic == "Science":
        return "science"
    elif topic == "Health":
        return "health"
    return "other"
