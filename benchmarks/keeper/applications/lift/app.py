"""Takes a lift to a floor."""

from google.cloud import speech_v1 as speech

FLOORS = {"one": 1, "two": 2, "three": 3}


def floor(recording):
    client = speech.SpeechClient()
    config = {"encoding": "LINEAR16", "sample_rate_hertz": 16000, "language_code": "en-US"}
    response = client.recognize(request={"config": config, "audio": {"content": recording}})
    for result in response.results:
        for word in result.alternatives[0].transcript.split():
            if word in FLOORS:
                return FLOORS[word]
    return 0
