"""Opens the door for the cat, not for the neighbours' dogs."""

import boto3

rekognition = boto3.client("rekognition", region_name="eu-central-1")


def opens(photo):
    with open(photo, "rb") as file:
        answer = rekognition.detect_labels(Image={"Bytes": file.read()}, MaxLabels=10)
    seen = {label["Name"]: label["Confidence"] for label in answer["Labels"]}
    if "Dog" in seen:
        return False
    return seen.get("Cat", 0) > 80
