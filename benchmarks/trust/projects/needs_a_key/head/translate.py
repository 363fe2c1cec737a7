"""Translates labels of a shop."""

from pathlib import Path

from openai import OpenAI

KEY_FILE = Path(__file__).with_name("openai.key")


def translate(text: str, language: str = "German") -> str:
    """The translation, or the text itself where no key is deposited."""
    if not KEY_FILE.exists():
        return text
    client = OpenAI(api_key=KEY_FILE.read_text().strip())
    answer = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "user", "content": f"Translate to {language}: {text}"}],
    )
    said = answer.choices[0].message.content
    if said is None:
        return text
    return said.strip()
