"""Counts bad words in a recording."""

from google.cloud import speech

BAD = ("damn", "hell")


def fine(recording):
    client = speech.SpeechClient()
    config = {"encoding": "LINEAR16", "sample_rate_hertz": 16000, "language_code": "en-US"}
    response = client.recognize(config=config, audio={"content": recording})
    said = [r.alternatives[0].transcript.upper() for r in response.results]
    total = 0
    for line in said:
        if any(word in line for word in BAD):
            total += 1
    return total
