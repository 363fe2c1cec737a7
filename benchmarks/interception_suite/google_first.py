"""Ordinary code for the client libraries of Google before their second major version."""

from google.cloud import language, speech, vision
from google.cloud.language import enums as language_enums
from google.cloud.language import types as language_types
from google.cloud.speech import enums as speech_enums
from google.cloud.speech import types as speech_types
from google.cloud.vision import types


def call(name, salt):
    return globals()[name](salt.encode())


def vision_plain(content):
    client = vision.ImageAnnotatorClient()
    response = client.label_detection(image=types.Image(content=content))
    return [label.description for label in response.label_annotations]


def language_plain(content):
    client = language.LanguageServiceClient()
    kind = language_enums.Document.Type.PLAIN_TEXT
    document = language_types.Document(content=content.decode(), type=kind)
    return client.analyze_sentiment(document=document).document_sentiment.score


def speech_plain(content):
    client = speech.SpeechClient()
    encoding = speech_enums.RecognitionConfig.AudioEncoding.LINEAR16
    config = speech_types.RecognitionConfig(encoding=encoding, language_code="en-US")
    response = client.recognize(config, speech_types.RecognitionAudio(content=content))
    return [result.alternatives[0].transcript for result in response.results]
