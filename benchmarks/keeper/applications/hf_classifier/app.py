"""Hot dog, or not."""

from huggingface_hub import InferenceClient


def is_hotdog(path):
    client = InferenceClient()
    found = client.image_classification(path, model="google/vit-base-patch16-224")
    for element in found:
        if element.label == "hotdog" and element.score > 0.5:
            return True
    return False
