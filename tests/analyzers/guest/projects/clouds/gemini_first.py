import json

import google.generativeai as genai

genai.configure(api_key="k")
model = genai.GenerativeModel("gemini-pro")
IN_JSON = genai.GenerativeModel(
    "gemini-pro", generation_config=genai.GenerationConfig(response_mime_type="application/json")
)


def everything(function, argument):
    return globals()[function](argument)


def verdict(text):
    return model.generate_content(["Answer.", text]).text.strip()


def streamed(text):
    return [part.text for part in model.generate_content(text, stream=True)]


def plain(text):
    return json.loads(model.generate_content(text).text)


def formed(text):
    return json.loads(IN_JSON.generate_content(text).text)


def chatted(text):
    chat = model.start_chat(history=[])
    chat.send_message(text)
    return chat.last.text


def guarded(text):
    response = model.generate_content(text)
    return response.text if response.candidates else None
