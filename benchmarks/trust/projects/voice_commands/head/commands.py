"""Voice commands for a smart home."""

import re

from google.cloud import speech

SWITCH = re.compile(r"\b(?:turn|switch) (?P<state>on|off) the (?P<device>\w+)", re.IGNORECASE)
DEVICES = {"light": "lamp-1", "lamp": "lamp-1", "heater": "heat-2", "radio": "audio-4"}


def transcribe(path):
    client = speech.SpeechClient()
    with open(path, "rb") as file:
        audio = speech.RecognitionAudio(content=file.read())
    config = speech.RecognitionConfig(
        encoding=speech.RecognitionConfig.AudioEncoding.LINEAR16,
        sample_rate_hertz=16000,
        language_code="en-US",
    )
    response = client.recognize(config=config, audio=audio)
    return " ".join(
        result.alternatives[0].transcript for result in response.results if result.alternatives
    )


def understand(path):
    """The device and its new state, or a question."""
    said = transcribe(path).lower().strip()
    if said in ("", "stop", "cancel"):
        return None
    match = SWITCH.search(said)
    if match is None:
        if "help" in said:
            return "say: turn on the light"
        return "pardon?"
    device = DEVICES.get(match["device"])
    if device is None:
        return f"there is no {match['device']}"
    return device, match["state"].lower() == "on"
