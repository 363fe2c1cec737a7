"""A forum that holds angry posts back."""

import boto3
from flask import Flask, request

app = Flask(__name__)
comprehend = boto3.client("comprehend", region_name="eu-west-1")


@app.route("/post", methods=["POST"])
def post():
    text = request.form["text"]
    mood = comprehend.detect_sentiment(Text=text, LanguageCode="en")["Sentiment"]
    if mood == "NEGATIVE":
        return "held back"
    if mood == "POSITIVE":
        return "shown first"
    return "shown"
