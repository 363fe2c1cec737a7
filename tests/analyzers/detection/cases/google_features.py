"""Requests that say in their arguments which feature they want."""

from google.cloud import vision

client = vision.ImageAnnotatorClient()


def annotated(uri):
    response = client.annotate_image(
        {
            "image": {"source": {"image_uri": uri}},
            "features": [{"type_": vision.Feature.Type.LABEL_DETECTION}],
        }
    )
    if len(response.label_annotations) > 3:
        return True
    return False


def in_a_batch(contents):
    feature = vision.Feature(type_=vision.Feature.Type.DOCUMENT_TEXT_DETECTION)
    requests = []
    for content in contents:
        image = vision.Image(content=content)
        requests.append(vision.AnnotateImageRequest(image=image, features=[feature]))
    for response in client.batch_annotate_images(requests=requests).responses:
        if "TOTAL" in response.full_text_annotation.text:
            return response
    return None
