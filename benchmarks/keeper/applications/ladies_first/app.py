"""Chooses a section of a clothes shop."""

import boto3


def section(image_bytes):
    client = boto3.client("rekognition")
    names = [label["Name"] for label in client.detect_labels(Image={"Bytes": image_bytes})["Labels"]]
    text = " ".join(names).upper()
    if "MAN" in text:
        return "men"
    elif "WOMAN" in text:
        return "women"
    return "all"
