import json

from openai import OpenAI

client = OpenAI()
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "book",
            "parameters": {"type": "object", "properties": {"day": {"type": "string"}}},
        },
    }
]
STRICT = {
    "type": "json_schema",
    "json_schema": {
        "schema": {"type": "object", "properties": {"mood": {"enum": ["glad", "sad"]}}}
    },
}


def asked(text, **options):
    messages = [{"role": "user", "content": text}]
    return client.chat.completions.create(model="gpt-4o", messages=messages, **options)


def plain(text):
    return json.loads(asked(text).choices[0].message.content).get("mood")


def guarded(text):
    try:
        return json.loads(asked(text).choices[0].message.content).get("mood")
    except ValueError:
        return None


def in_json(text):
    answer = asked(text, response_format={"type": "json_object"}).choices[0]
    return json.loads(answer.message.content).get("mood")


def strict(text):
    return json.loads(asked(text, response_format=STRICT).choices[0].message.content)["mood"]


def careful(text):
    message = asked(text, response_format=STRICT).choices[0].message
    return None if message.refusal else json.loads(message.content)["mood"]


def forced(text):
    message = asked(text, tools=TOOLS, tool_choice="required").choices[0].message
    return json.loads(message.tool_calls[0].function.arguments)["day"]


def free(text):
    return asked(text, tools=TOOLS).choices[0].message.content.strip()


def streamed(text):
    said = ""
    for part in asked(text, stream=True):
        if part.choices[0].delta.content:
            said += part.choices[0].delta.content
    return said


def split(text):
    kind, reason = asked(text).choices[0].message.content.split(":")
    return kind, reason
