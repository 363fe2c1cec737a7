"""Names the animals at a feeder."""

import boto3

client = boto3.client("rekognition", region_name="us-east-1")


def identify(path):
    with open(path, "rb") as file:
        answer = client.detect_labels(Image={"Bytes": file.read()}, MaxLabels=10, MinConfidence=40)
    labels = answer["Labels"]
    if not labels:
        return "empty feeder"
    best = max(labels, key=lambda label: label["Confidence"])
    if best["Name"] == "Bird" and best["Confidence"] < 60:
        return "maybe a bird"
    for label in labels:
        if label["Name"] == "Bird":
            return "bird"
        if label["Name"] in ("Squirrel", "Rodent"):
            return "thief"
    return "something else"
