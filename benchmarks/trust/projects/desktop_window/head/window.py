"""A window that reads pictures aloud."""

from google.cloud import vision
from PyQt5.QtGui import *
from PyQt5.QtWidgets import *


class Window(QMainWindow):
    def __init__(self):
        super().__init__()
        self.label = QLabel("Drop a picture")
        self.setCentralWidget(self.label)
        self.client = vision.ImageAnnotatorClient()

    def describe(self):
        path, _ = QFileDialog.getOpenFileName(self, "Picture")
        if not path:
            return
        with open(path, "rb") as file:
            image = vision.Image(content=file.read())
        texts = self.client.text_detection(image=image).text_annotations
        self.label.setText(texts[0].description if texts else "No text")


def main():
    app = QApplication([])
    window = Window()
    window.show()
    app.exec_()
