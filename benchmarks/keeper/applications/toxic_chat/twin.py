"""Lets messages through that hurt nobody."""

from openai import OpenAI


def allowed(message):
    client = OpenAI(api_key="none")
    result = client.moderations.create(model="omni-moderation-latest", input=message).results[0]
    if result.categories.violence:
        return "call a moderator"
    if result.flagged:
        return "no"
    return "yes"
