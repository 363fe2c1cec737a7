"""Switches a lamp by voice."""

from google.cloud import speech


def switch(path):
    client = speech.SpeechClient()
    with open(path, "rb") as file:
        audio = speech.RecognitionAudio(content=file.read())
    config = speech.RecognitionConfig(
        encoding=speech.RecognitionConfig.AudioEncoding.LINEAR16,
        sample_rate_hertz=16000,
        language_code="en-US",
    )
    response = client.recognize(config=config, audio=audio)
    words = response.results[0].alternatives[0].transcript
    if "light on" in words:
        return 1
    if "light off" in words:
        return 0
    return None
