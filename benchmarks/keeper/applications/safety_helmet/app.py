"""Lets people with a helmet in."""

import boto3


def may_enter(image_bytes):
    client = boto3.client("rekognition")
    answer = client.detect_labels(Image={"Bytes": image_bytes}, MinConfidence=70)
    helmets = [label for label in answer["Labels"] if label["Name"] == "Helmet"]
    if helmets and helmets[0]["Confidence"] > 0.9:
        return True
    return False
