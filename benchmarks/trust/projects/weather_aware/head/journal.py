"""A diary that knows the weather."""

import os

import requests
from google.cloud import language_v1

WEATHER = os.getenv("WEATHER_URL", "https://weather.example.org/v1/current")


def weather(city):
    try:
        answer = requests.get(WEATHER, params={"q": city}, timeout=5)
        answer.raise_for_status()
        return answer.json().get("condition", "unknown")
    except (requests.RequestException, ValueError):
        return "unknown"


def mood(text):
    client = language_v1.LanguageServiceClient()
    document = {"content": text, "type_": language_v1.Document.Type.PLAIN_TEXT}
    return client.analyze_sentiment(document=document).document_sentiment.score


def entry(text, city="Berlin"):
    sky = weather(city)
    score = mood(text)
    if score > 0.3:
        return f"A good day ({sky})"
    if score < -0.3 and sky == "rain":
        return "Blame the rain"
    if score < -0.3:
        return f"A bad day ({sky})"
    return f"A day ({sky})"
