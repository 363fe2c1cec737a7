"""Notes how a class feels."""

import boto3


def feeling(image_bytes):
    client = boto3.client("rekognition")
    details = client.detect_faces(Image={"Bytes": image_bytes}, Attributes=["ALL"])["FaceDetails"]
    if not details:
        return "absent"
    emotions = sorted(details[0]["Emotions"], key=lambda e: e["Confidence"], reverse=True)
    best = emotions[0]["Type"]
    if best == "HAPPY":
        return "fine"
    elif best == "SAD":
        return "talk to"
    return "present"
