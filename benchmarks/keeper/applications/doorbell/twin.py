"""A doorbell: looks at the last photograph for a face and for things."""

from google.cloud import vision


def ring():
    client = vision.ImageAnnotatorClient()
    with open("photo.jpg", "rb") as file:
        content = file.read()
    answer = client.annotate_image(
        {
            "image": {"content": content},
            "features": [
                {"type_": vision.Feature.Type.FACE_DETECTION},
                {"type_": vision.Feature.Type.LABEL_DETECTION},
            ],
        }
    )
    if len(answer.face_annotations) > 0:
        return "somebody"
    for label in answer.label_annotations:
        if label.description == "Package delivery":
            return "parcel"
    return "nobody"
