from google.api_core import exceptions, retry
from google.cloud import language_v1, speech, vision


def handled(content):
    client = vision.ImageAnnotatorClient()
    try:
        client.label_detection(image=vision.Image(content=content))
    except exceptions.GoogleAPICallError as error:
        return error.code, isinstance(error, exceptions.PermissionDenied)
    return "answered"


def tried_again(content):
    client = vision.ImageAnnotatorClient()
    while True:
        try:
            return client.label_detection(image=vision.Image(content=content))
        except exceptions.GoogleAPIError:
            continue


def with_retry(content):
    client = language_v1.LanguageServiceClient()
    document = {"content": "some words", "type_": "PLAIN_TEXT"}
    patient = retry.Retry(initial=60.0, timeout=600.0)
    return client.analyze_sentiment(request={"document": document}, retry=patient, timeout=600)


def of_speech(content):
    client = speech.SpeechClient()
    config = {"language_code": "en-US"}
    return client.long_running_recognize(config=config, audio={"content": content}).result(600)


def everything(function, argument):
    return globals()[function](argument)
