"""A bot that takes spoken memos."""

from google.cloud import speech
from google.cloud.speech import enums, types


def transcribe(content):
    client = speech.SpeechClient()
    audio = types.RecognitionAudio(content=content)
    config = types.RecognitionConfig(
        encoding=enums.RecognitionConfig.AudioEncoding.LINEAR16,
        sample_rate_hertz=16000,
        language_code="en-US",
    )
    response = client.recognize(config, audio)
    return " ".join(result.alternatives[0].transcript for result in response.results)


def command(path):
    with open(path, "rb") as file:
        text = transcribe(file.read())
    if not text:
        return "again"
    if text.startswith("remember"):
        return "note"
    elif text.startswith("forget"):
        return "delete"
    return "say"
