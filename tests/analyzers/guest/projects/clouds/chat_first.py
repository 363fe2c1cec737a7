import os

import openai

openai.api_key = os.environ["OPENAI_API_KEY"]


def everything(function, argument):
    return globals()[function](argument)


def verdict(text):
    completion = openai.ChatCompletion.create(
        model="gpt-3.5-turbo", messages=[{"role": "user", "content": text}]
    )
    return completion["choices"][0]["message"]["content"], completion.choices[0].finish_reason


def completed(text):
    return openai.Completion.create(engine="davinci", prompt=text)["choices"][0]["text"].strip()


def flagged(text):
    return openai.Moderation.create(input=text)["results"][0]["flagged"]


def with_care(text):
    try:
        return openai.Embedding.create(input=text)
    except openai.error.APIConnectionError:
        return "no connection"
