import asyncio

from google.cloud import language_v1, language_v1beta2, language_v2

VERSIONS = {"v1": language_v1, "v1beta2": language_v1beta2, "v2": language_v2}
READ = {
    "analyze_sentiment": lambda r: r.document_sentiment.score,
    "analyze_entities": lambda r: r.entities[0].type_.name,
    "analyze_entity_sentiment": lambda r: r.entities[0].sentiment.magnitude,
    "classify_text": lambda r: r.categories[0].name,
    "moderate_text": lambda r: r.moderation_categories[0].name,
    "analyze_syntax": lambda r: r.tokens[0].part_of_speech.tag.name,
    "annotate_text": lambda r: (r.document_sentiment.score, r.entities[0].name),
}
FEATURES = {"extract_document_sentiment": True, "extract_entities": True}


def document(module, text):
    return module.Document(content=text, type_=module.Document.Type.PLAIN_TEXT)


def call(version, method, style, text):
    module = VERSIONS[version]
    parts = {"document": document(module, text)}
    if method == "annotate_text":
        parts["features"] = FEATURES
    client = module.LanguageServiceClient(**({"transport": "rest"} if style == "rest" else {}))
    if style == "request":
        response = getattr(client, method)(request=parts)
    elif style == "positional":
        response = getattr(client, method)(parts)
    elif style == "later":
        response = asyncio.run(later(module, method, parts))
    else:
        response = getattr(client, method)(**parts)
    return READ[method](response)


async def later(module, method, parts):
    client = module.LanguageServiceAsyncClient()
    return await getattr(client, method)(**parts)


def in_language(text):
    client = language_v2.LanguageServiceClient()
    typed = {"content": text, "type_": "PLAIN_TEXT", "language_code": "de"}
    return client.analyze_sentiment(request={"document": typed}).language_code


def everything(function, argument):
    return call(*function.split(":"), argument) if ":" in function else globals()[function](argument)
