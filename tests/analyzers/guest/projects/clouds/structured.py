from openai import OpenAI
from pydantic import BaseModel


class Event(BaseModel):
    name: str
    guests: int


def everything(function, argument):
    return globals()[function](argument)


def event(text):
    completion = OpenAI().beta.chat.completions.parse(
        model="gpt-4o", messages=[{"role": "user", "content": text}], response_format=Event
    )
    found = completion.choices[0].message.parsed
    return found.name if found.guests > 2 else "small"


def streamed(text):
    stream = OpenAI().chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": text}], stream=True
    )
    return "".join(chunk.choices[0].delta.content or "" for chunk in stream)


def raw(text):
    response = OpenAI().moderations.with_raw_response.create(input=text)
    return response.status_code, response.parse().results[0].flagged
