"""Sorts scans, with the client that discovery builds."""

import base64

from googleapiclient.discovery import build


def tray(path):
    service = build("vision", "v1", developerKey="none")
    with open(path, "rb") as scan:
        content = base64.b64encode(scan.read()).decode()
    body = {
        "requests": [
            {"image": {"content": content}, "features": [{"type": "LABEL_DETECTION", "maxResults": 5}]}
        ]
    }
    response = service.images().annotate(body=body).execute()
    labels = response["responses"][0].get("labelAnnotations", [])
    first = labels[0]["description"]
    if first == "Receipt":
        return "tax"
    return "photographs" if first == "Photograph" else "attic"
