"""Keeps a children's forum friendly."""

from __future__ import annotations

from functools import lru_cache

from google.cloud import language_v1

MINIMUM_WORDS = 20


@lru_cache(maxsize=1)
def client() -> language_v1.LanguageServiceClient:
    return language_v1.LanguageServiceClient()


def topics(text: str) -> list[tuple[str, float]]:
    document = {"content": text, "type_": language_v1.Document.Type.PLAIN_TEXT}
    response = client().classify_text(request={"document": document})
    return [(category.name, category.confidence) for category in response.categories]


def allowed(text: str) -> bool:
    """Whether a post may be shown without a look at it."""
    if len(text.split()) < MINIMUM_WORDS:
        return True
    for name, confidence in topics(text):
        if "ensitive" in name or "Adult" in name:
            return False
        if name.startswith("/Games") and confidence < 0.3:
            return False
    return True
