import asyncio

from huggingface_hub import AsyncInferenceClient, InferenceClient

client = InferenceClient(model="someone/model", token="token")


def everything(function, argument):
    return globals()[function](argument)


def mood(text):
    best = client.text_classification(text)[0]
    return best.label if best.score > 0.5 else "unsure"


def kind(text):
    found = client.zero_shot_classification(text, ["bill", "letter"], multi_label=False)
    return found[0]["label"]


def names(text):
    found = client.token_classification(text, aggregation_strategy="simple")
    return [entity.word for entity in found if entity.entity_group == "PER"]


def picture(path):
    return [found.label for found in client.image_classification(path, top_k=3)]


def things(image):
    return {found.label: found.box.xmin for found in InferenceClient().object_detection(image)}


def heard(path):
    return client.automatic_speech_recognition(path).text


def caption(path):
    return client.image_to_text(path).generated_text


def completed(text):
    return client.text_generation(text, max_new_tokens=5).strip()


def chatted(text):
    completion = client.chat.completions.create(messages=[{"role": "user", "content": text}])
    return completion.choices[0].message.content


async def _later(text):
    async with AsyncInferenceClient() as later:
        return (await later.text_classification(text))[0].label


def later(text):
    return asyncio.run(_later(text))


def vector(text):
    return client.feature_extraction(text).shape


def wrong(text):
    return client.text_classification(text)[3].label
