"""Sends a photograph to a department; a language model chooses one of three."""

import base64
import json

from openai import OpenAI

SCHEMA = {
    "name": "kind",
    "strict": True,
    "schema": {
        "type": "object",
        "properties": {"kind": {"type": "string", "enum": ["pothole", "graffiti", "other"]}},
        "required": ["kind"],
        "additionalProperties": False,
    },
}


def kind_of(path):
    with open(path, "rb") as file:
        picture = base64.b64encode(file.read()).decode()
    answer = OpenAI(api_key="none").chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What is wrong with the street?"},
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}},
                ],
            }
        ],
        response_format={"type": "json_schema", "json_schema": SCHEMA},
    )
    return json.loads(answer.choices[0].message.content)["kind"]


def route(path):
    kind = kind_of(path)
    if kind == "pothole":
        return "road works"
    if kind == "graffiti":
        return "cleaning"
    return "mayor"
