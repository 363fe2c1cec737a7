"""Summaries of support threads."""

from __future__ import annotations

import json
import os
import time

import openai

MODEL = os.getenv("SUMMARY_MODEL", "gpt-4o-mini")
PROMPT = 'Summarise the thread as JSON: {"title": string, "urgent": boolean}'


class NotConfigured(Exception):
    pass


def _client() -> openai.OpenAI:
    key = os.getenv("OPENAI_API_KEY")
    if not key:
        raise NotConfigured("set OPENAI_API_KEY")
    return openai.OpenAI(api_key=key, max_retries=0)


def _ask(client: openai.OpenAI, thread: str, attempts: int = 2) -> str:
    for attempt in range(attempts):
        try:
            response = client.chat.completions.create(
                model=MODEL,
                messages=[
                    {"role": "system", "content": PROMPT},
                    {"role": "user", "content": thread},
                ],
            )
        except openai.RateLimitError:
            if attempt == attempts - 1:
                raise
            time.sleep(0.01 * 2**attempt)
            continue
        return response.choices[0].message.content or ""
    return ""


def summarise(thread: str) -> dict:
    """Title and urgency of a thread."""
    answer = _ask(_client(), thread)
    try:
        data = json.loads(answer)
    except ValueError:
        return {"title": answer[:60], "urgent": False}
    if not isinstance(data, dict):
        return {"title": str(data)[:60], "urgent": False}
    return {"title": str(data.get("title", "")), "urgent": data.get("urgent") is True}
