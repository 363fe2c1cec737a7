"""Takes orders by voice."""

from google.cloud import speech


def order(recording):
    client = speech.SpeechClient()
    config = {"encoding": "LINEAR16", "sample_rate_hertz": 16000, "language_code": "en-US"}
    results = client.recognize(config=config, audio={"content": recording}).results
    if not results:
        return "please repeat"
    best = results[0].alternatives[0]
    if best.transcript.lower() == "Coffee":
        return "coffee"
    if "tea" in best.transcript.lower():
        return "tea"
    return "menu"
