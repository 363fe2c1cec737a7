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


def plain(text):
    return json.loads(asked(text)["output"]["message"]["content"][0]["text"])


def guarded(text):
    try:
        return json.loads(asked(text)["output"]["message"]["content"][0]["text"])
    except ValueError:
        return None
