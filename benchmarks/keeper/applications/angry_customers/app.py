"""Alerts the manager when customers look angry."""

import boto3

client = boto3.client("rekognition", "us-east-1")


def dominant(face):
    return max(face["Emotions"], key=lambda emotion: emotion["Confidence"])


def alert(path):
    with open(path, "rb") as file:
        faces = client.detect_faces(Image={"Bytes": file.read()}, Attributes=["ALL"])["FaceDetails"]
    angry = [face for face in faces if dominant(face)["Type"] == "ANGRY"]
    return 100 * len(angry) / len(faces) > 50
