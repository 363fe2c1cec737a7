"""The same question in every generation of the Google SDKs."""

import asyncio

from google.cloud import language_v1, vision, vision_v1p3beta1 as beta
from google.cloud.vision import enums, types


def first_generation(path):
    client = vision.Client()
    image = client.image(filename=path)
    labels = image.detect_labels(limit=5)
    return [label for label in labels if label.description == "cat"]


def second_generation(content):
    client = beta.ImageAnnotatorClient.from_service_account_json("key.json")
    texts = client.text_detection(image=types.Image(content=content)).text_annotations
    if texts:
        return texts[0].description
    return enums.Feature.Type.TEXT_DETECTION


def third_generation(text):
    client = language_v1.LanguageServiceClient()
    document = {"content": text, "type_": language_v1.Document.Type.PLAIN_TEXT}
    answer = client.analyze_sentiment(request={"document": document})
    return answer.document_sentiment.score > 0.25


async def in_a_coroutine(text):
    client = language_v1.LanguageServiceAsyncClient()
    answer = await client.analyze_sentiment(document={"content": text})
    assert answer.sentences, "nothing was said"
    return answer


def in_a_thread(text):
    client = language_v1.LanguageServiceClient()
    answer = asyncio.run(asyncio.to_thread(client.analyze_sentiment, {"content": text}))
    return "sad" if answer.document_sentiment.score < 0 else "glad"
