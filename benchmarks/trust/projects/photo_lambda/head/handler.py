"""Tags pictures that are dropped into a bucket."""

import json
import logging
import os
import urllib.parse

import boto3

logger = logging.getLogger()
logger.setLevel(os.environ.get("LOG_LEVEL", "INFO"))

rekognition = boto3.client("rekognition")
PEOPLE = {"Person", "People", "Human"}


def labels_of(bucket, key, confidence=80):
    response = rekognition.detect_labels(
        Image={"S3Object": {"Bucket": bucket, "Name": key}},
        MaxLabels=20,
        MinConfidence=confidence,
    )
    return [label["Name"] for label in response.get("Labels", [])]


def records(event):
    for record in event.get("Records", []):
        s3 = record.get("s3") or {}
        name = s3.get("bucket", {}).get("name")
        key = s3.get("object", {}).get("key")
        if name and key:
            yield name, urllib.parse.unquote_plus(key)


def lambda_handler(event, context):
    tagged = {}
    for bucket, key in records(event):
        names = labels_of(bucket, key)
        if PEOPLE & set(names):
            logger.info("%s shows people", key)
            tagged[key] = "people"
        elif names:
            tagged[key] = names[0].lower()
        else:
            tagged[key] = "unknown"
    return {"statusCode": 200, "body": json.dumps(tagged)}
