"""Moderates pictures that are posted."""

import base64
import binascii
import json

import boto3

rekognition = boto3.client("rekognition", region_name="us-east-1")
BLOCKED = {"Explicit Nudity", "Violence", "Hate Symbols"}


def response(status, **body):
    return {
        "statusCode": status,
        "headers": {"Content-Type": "application/json"},
        "body": json.dumps(body),
    }


def picture(event):
    body = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return None
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        return None


def moderate(data):
    answer = rekognition.detect_moderation_labels(Image={"Bytes": data}, MinConfidence=60)
    labels = answer["ModerationLabels"]
    return sorted({label["ParentName"] or label["Name"] for label in labels})


def handler(event, context=None):
    if event.get("path") == "/health":
        return response(200, status="ok")
    data = picture(event)
    if not data:
        return response(400, error="send a picture in base64")
    found = moderate(data)
    blocked = [name for name in found if name in BLOCKED]
    return response(200, allowed=not blocked, labels=found)
