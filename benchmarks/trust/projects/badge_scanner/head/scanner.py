"""Reads badges and files the pictures by what they say."""

import os
import shutil

from google.cloud import vision

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = HERE + "/sorted"
KINDS = {"VISITOR": "visitors", "STAFF": "staff", "PRESS": "press"}


class Scanner:
    def __init__(self, out=OUT):
        self.out = out
        try:
            os.makedirs(self.out, exist_ok=True)
        except OSError:
            self.out = None
        self.client = vision.ImageAnnotatorClient()

    def words(self, path):
        with open(path, "rb") as file:
            image = vision.Image(content=file.read())
        answer = self.client.text_detection(image=image)
        if not answer.text_annotations:
            return []
        return answer.text_annotations[0].description.upper().split()

    def scan(self, path):
        words = self.words(path)
        for word, kind in KINDS.items():
            if word in words:
                return kind
        return "unknown"

    def file(self, path):
        kind = self.scan(path)
        if self.out is None:
            return None
        folder = self.out + "/" + kind
        os.makedirs(folder, exist_ok=True)
        return shutil.copy(path, folder + "/" + os.path.basename(path))


def scan(path):
    return Scanner().scan(path)
