"""A web page that says whether a photograph of a pet may be shown."""

from flask import Flask, request
from google.cloud import vision

app = Flask(__name__)
client = vision.ImageAnnotatorClient()


@app.route("/upload", methods=["POST"])
def upload():
    photo = request.files["photo"].read()
    labels = client.label_detection(image=vision.Image(content=photo)).label_annotations
    names = [label.description for label in labels]
    top = names[0] if names else "nobody"
    if "Dog" in names or "Cat" in names:
        return f"welcome, {top}"
    return "pets only"
