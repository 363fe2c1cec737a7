#!/usr/bin/env python3
"""Writes down what was said in a meeting, and who was named."""

import sys
import wave
from pathlib import Path

from google.cloud import language_v1, speech

USAGE = "usage: notes.py FILE.wav"


def rate(path):
    with wave.open(str(path)) as file:
        return file.getframerate()


def transcript(path):
    client = speech.SpeechClient()
    config = speech.RecognitionConfig(
        encoding=speech.RecognitionConfig.AudioEncoding.LINEAR16,
        sample_rate_hertz=rate(path),
        language_code="en-US",
        enable_automatic_punctuation=True,
    )
    audio = speech.RecognitionAudio(content=Path(path).read_bytes())
    lines = []
    for result in client.recognize(config=config, audio=audio).results:
        if result.alternatives:
            lines.append(result.alternatives[0].transcript.strip())
    return "\n".join(lines)


def people(text):
    if not text:
        return []
    client = language_v1.LanguageServiceClient()
    document = {"content": text, "type_": language_v1.Document.Type.PLAIN_TEXT}
    found = client.analyze_entities(document=document).entities
    return sorted({e.name for e in found if e.type_ == language_v1.Entity.Type.PERSON})


def main():
    if len(sys.argv) != 2:
        sys.exit(USAGE)
    path = Path(sys.argv[1])
    if not path.is_file():
        sys.exit(f"no such file: {path}")
    text = transcript(path)
    print(text or "(silence)")
    named = people(text)
    if named:
        print("Named:", ", ".join(named))


if __name__ == "__main__":
    main()
