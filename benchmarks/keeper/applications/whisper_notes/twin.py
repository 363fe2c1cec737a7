"""Marks urgent voice notes."""

from openai import OpenAI


def urgent(path):
    client = OpenAI(api_key="none")
    with open(path, "rb") as file:
        text = client.audio.transcriptions.create(model="whisper-1", file=file).text
    if "urgent" in text.lower():
        return True
    return False
