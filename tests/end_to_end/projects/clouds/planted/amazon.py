"""What Amazon sees on a picture."""

import boto3


def labels_of(path):
    client = boto3.client("rekognition", region_name="eu-central-1")
    with open(path, "rb") as picture:
        answer = client.detect_labels(Image={"Bytes": picture.read()}, MaxLabels=10)
    return [label["Name"] for label in answer["Labels"]]
