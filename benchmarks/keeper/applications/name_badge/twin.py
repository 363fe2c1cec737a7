"""Reads the role from a badge."""

import boto3


def role(image_bytes):
    answer = boto3.client("rekognition").detect_text(Image={"Bytes": image_bytes})
    lines = [t["DetectedText"] for t in answer["TextDetections"] if t["Type"] == "LINE"]
    badge = lines[0] if lines else ""
    if badge == "STAFF":
        return "staff"
    if badge == "PRESS":
        return "press"
    return "guest"
