"""Says how sure the service is that it sees a plant."""

from google.cloud import vision


def certainty(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        answer = client.label_detection(image=vision.Image(content=file.read()))
    for label in answer.label_annotations:
        if label.description == "Plant":
            if label.score > 0.9 and label.score < 0.5:
                return "perhaps"
            return "surely"
    return "no plant"
