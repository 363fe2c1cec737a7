"""Opinions on a film, asked over REST."""

import requests

URL = "https://language.googleapis.com/v1/documents:analyzeSentiment"


def opinion(text):
    body = {"document": {"type": "PLAIN_TEXT", "content": text}, "encodingType": "UTF8"}
    reply = requests.post(URL, params={"key": "none"}, json=body, timeout=10).json()
    tone = reply["documentSentiment"]
    if tone["score"] > 0.4:
        return "enthusiastic"
    if tone["score"] > 0.1:
        return "good"
    return "bad"
