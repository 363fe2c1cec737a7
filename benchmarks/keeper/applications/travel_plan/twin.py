"""Plans a journey from a sentence."""

from google.cloud import language_v1


def plan(sentence):
    client = language_v1.LanguageServiceClient()
    document = {"content": sentence, "type_": language_v1.Document.Type.PLAIN_TEXT}
    response = client.analyze_entities(request={"document": document})
    where, when = None, None
    for entity in response.entities:
        kind = language_v1.Entity.Type(entity.type_).name
        if kind == "LOCATION":
            where = entity.name
        elif kind == "DATE":
            when = entity.name
    if where and when:
        return f"to {where} on {when}"
    return "where and when?"
