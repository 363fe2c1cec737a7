"""Names like those of an SDK that are none: nothing is to be detected."""

from google.cloud import storage
import boto3
import unittest.mock as vision


class ImageAnnotatorClient:
    def label_detection(self, image):
        return [image]


class Detector:
    def analyze_sentiment(self, text):
        return len(text)


def label_detection(image):
    return ImageAnnotatorClient().label_detection(image)


def check(image, text, client):
    if label_detection(image):
        return True
    if Detector().analyze_sentiment(text) > 3:
        return True
    if client.label_detection(image).label_annotations:
        return True
    if vision.ImageAnnotatorClient().label_detection(image):
        return True
    table = boto3.client("dynamodb").detect_labels(Image=image)
    return bool(table) and storage.Client().label_detection(image)
