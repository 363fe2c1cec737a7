from google.cloud import vision

from .base import Base


class Reader(Base):
    client = vision.ImageAnnotatorClient()

    def ask(self, content):
        self.answer = self.client.text_detection(image=vision.Image(content=content))
        return self.answer

    @property
    def words(self):
        return self.answer.text_annotations
