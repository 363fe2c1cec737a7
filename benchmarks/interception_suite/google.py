"""Ordinary code for the client libraries of Google, from their second major version on."""

import asyncio
import base64

from google.cloud import language_v1, speech, vision
from googleapiclient.discovery import build


def call(name, salt):
    return globals()[name](salt.encode())


# ------------------------------------------------------------------ vision


def _named(response):
    return [label.description for label in response.label_annotations]


def _request(content):
    feature = vision.Feature(type_=vision.Feature.Type.LABEL_DETECTION)
    return vision.AnnotateImageRequest(image=vision.Image(content=content), features=[feature])


def vision_plain(content):
    client = vision.ImageAnnotatorClient()
    return _named(client.label_detection(image=vision.Image(content=content)))


def vision_helpers(content):
    client = vision.ImageAnnotatorClient()
    image = vision.Image(content=content)
    names = [feature.name.lower() for feature in vision.Feature.Type if feature]
    return [bool(getattr(client, name)(image=image)) for name in names]


def vision_batch(content):
    client = vision.ImageAnnotatorClient.from_service_account_file("nowhere.json")
    return _named(client.batch_annotate_images(requests=[_request(content)]).responses[0])


def vision_rest(content):
    client = vision.ImageAnnotatorClient(transport="rest")
    return _named(client.label_detection(image=vision.Image(content=content)))


async def _vision(content):
    client = vision.ImageAnnotatorAsyncClient()
    return await client.batch_annotate_images(requests=[_request(content)])


def vision_later(content):
    return _named(asyncio.run(_vision(content)).responses[0])


# ---------------------------------------------------------------- language


def _document(module, content):
    kind = module.Document.Type.PLAIN_TEXT
    return module.Document(content=content.decode(), type_=kind)


def language(content):
    client = language_v1.LanguageServiceClient()
    request = {"document": _document(language_v1, content)}
    return client.analyze_sentiment(request=request).document_sentiment.score


def language_rest(content):
    client = language_v1.LanguageServiceClient(transport="rest")
    found = client.analyze_sentiment(document=_document(language_v1, content))
    return found.document_sentiment.score


async def _language(content):
    client = language_v1.LanguageServiceAsyncClient()
    return await client.analyze_sentiment(document=_document(language_v1, content))


def language_later(content):
    return asyncio.run(_language(content)).document_sentiment.score


def language_second(content):
    from google.cloud import language_v2

    client = language_v2.LanguageServiceClient()
    found = client.analyze_sentiment(document=_document(language_v2, content))
    return found.document_sentiment.score


# ------------------------------------------------------------------ speech


def _config():
    encoding = speech.RecognitionConfig.AudioEncoding.LINEAR16
    return speech.RecognitionConfig(encoding=encoding, language_code="en-US")


def _said(response):
    return response.results[0].alternatives[0].transcript


def speech_plain(content):
    client = speech.SpeechClient()
    return _said(client.recognize(config=_config(), audio=speech.RecognitionAudio(content=content)))


def speech_long(content):
    client = speech.SpeechClient()
    audio = speech.RecognitionAudio(content=content)
    return _said(client.long_running_recognize(config=_config(), audio=audio).result(timeout=300))


def speech_stream(content):
    client = speech.SpeechClient()
    streaming = speech.StreamingRecognitionConfig(config=_config())
    requests = (speech.StreamingRecognizeRequest(audio_content=part) for part in [content])
    return [_said(response) for response in client.streaming_recognize(streaming, requests)]


async def _speech(content):
    audio = speech.RecognitionAudio(content=content)
    return await speech.SpeechAsyncClient().recognize(config=_config(), audio=audio)


def speech_later(content):
    return _said(asyncio.run(_speech(content)))


def speech_second(content):
    from google.cloud import speech_v2

    config = speech_v2.RecognitionConfig(
        auto_decoding_config=speech_v2.AutoDetectDecodingConfig(), language_codes=["en-US"]
    )
    place = "projects/p/locations/global/recognizers/_"
    request = speech_v2.RecognizeRequest(recognizer=place, config=config, content=content)
    return _said(speech_v2.SpeechClient().recognize(request=request))


# --------------------------------------------------------------- discovery


def discovery(content):
    image = {"content": base64.b64encode(content).decode()}
    body = {"requests": [{"image": image, "features": [{"type": "LABEL_DETECTION"}]}]}
    response = build("vision", "v1", developerKey="k").images().annotate(body=body).execute()
    return response["responses"][0]["labelAnnotations"][0]["description"]
