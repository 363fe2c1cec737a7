import asyncio
import base64

import openai
from openai import AsyncOpenAI, AzureOpenAI, OpenAI

client = OpenAI()


def everything(function, argument):
    return globals()[function](argument)


def verdict(text):
    completion = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "user", "content": text}],
        temperature=0,
    )
    answer = completion.choices[0].message.content.strip().lower()
    return "spam" if answer.startswith("yes") else "ham"


def with_system(text):
    azure = AzureOpenAI(azure_endpoint="https://x.openai.azure.com", api_version="2024-06-01")
    completion = azure.chat.completions.create(
        model="deployment",
        messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}],
    )
    return completion.choices[0].finish_reason, completion.model


def about_picture(image):
    address = "data:image/png;base64," + base64.b64encode(image).decode()
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": address}},
    ]
    completion = client.chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": parts}]
    )
    return completion.choices[0].message.content


def respond(text):
    response = client.responses.create(model="gpt-4o", input=text)
    return response.output_text, response.output[0].content[0].text


def flagged(text):
    (result,) = client.moderations.create(input=text).results
    return result.flagged, result.categories.self_harm, result.category_scores.hate > 0.5


def several(text):
    results = openai.OpenAI(api_key="x").moderations.create(input=[text, "other"]).results
    return [result.flagged for result in results]


def heard(path):
    with open(path, "rb") as sound:
        return client.audio.transcriptions.create(model="whisper-1", file=sound).text


async def _later(text):
    async with AsyncOpenAI() as later:
        completion = await later.chat.completions.create(
            model="gpt-4o", messages=[{"role": "user", "content": text}]
        )
    return completion.choices[0].message.content


def later(text):
    return asyncio.run(_later(text))


def vector(text):
    return client.embeddings.create(model="text-embedding-3-small", input=text).data[0].embedding


def vector_with_care(text):
    try:
        return vector(text)
    except openai.OpenAIError as error:
        return type(error).__name__


def wrong(text):
    completion = client.chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": text}]
    )
    return completion.choices[1].message.content
