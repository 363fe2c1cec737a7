"""What to do at a street sign."""

from google.cloud import vision


def words_on(image_bytes):
    client = vision.ImageAnnotatorClient()
    response = client.text_detection(image=vision.Image(content=image_bytes))
    if not response.text_annotations:
        return ""
    return response.text_annotations[0].description.strip().upper()


def action(image_bytes):
    text = words_on(image_bytes)
    if text == "STOP":
        return "halt"
    elif text in ("YIELD", "GIVE WAY"):
        return "slow down"
    elif text.startswith("EXIT"):
        return "turn"
    return "go on"
