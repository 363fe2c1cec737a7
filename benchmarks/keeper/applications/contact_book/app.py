"""Takes the first person out of a text."""

from google.cloud import language_v1


def person(text):
    client = language_v1.LanguageServiceClient()
    document = {"content": text, "type_": language_v1.Document.Type.PLAIN_TEXT}
    entities = client.analyze_entities(request={"document": document}).entities
    people = [e.name for e in entities if e.type_ == language_v1.Entity.Type.PERSON]
    return people[0]
