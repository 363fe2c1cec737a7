import json

import boto3
import requests

client = boto3.client("bedrock-runtime", region_name="us-east-1")
URL = "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse"
TOOL = {"toolSpec": {"name": "book", "inputSchema": {"json": {"type": "object"}}}}


def everything(function, argument):
    return globals()[function](argument)


def asked(text, **options):
    messages = [{"role": "user", "content": [{"text": text}]}]
    return client.converse(modelId="m", messages=messages, **options)


def verdict(text):
    answer = asked(text, inferenceConfig={"maxTokens": 9})
    said = answer["output"]["message"]["content"][0]["text"]
    return said, answer["stopReason"], answer["usage"]["inputTokens"]


def called(text):
    blocks = asked(text, toolConfig={"tools": [TOOL]})["output"]["message"]["content"]
    return [block["toolUse"]["input"] for block in blocks if "toolUse" in block]


def posted(text):
    body = {"messages": [{"role": "user", "content": [{"text": text}]}]}
    return requests.post(URL, json=body).json()["output"]["message"]["content"][0]["text"]


def invoked(text):
    answer = client.invoke_model(modelId="m", body=json.dumps({"prompt": text}))
    return json.loads(answer["body"].read())


def invoked_claude(text):
    body = {"max_tokens": 9, "messages": [{"role": "user", "content": text}]}
    model = "anthropic.claude-3-haiku-20240307-v1:0"
    answer = client.invoke_model(modelId=model, body=json.dumps(body))
    return json.loads(answer["body"].read())["content"][0]["text"]


def plain(text):
    return json.loads(asked(text)["output"]["message"]["content"][0]["text"])


def guarded(text):
    try:
        return json.loads(asked(text)["output"]["message"]["content"][0]["text"])
    except ValueError:
        return None
