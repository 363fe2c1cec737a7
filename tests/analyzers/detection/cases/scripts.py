"""Code outside functions, imports inside them, and clients as arguments."""

import sys

from google.cloud import language


def build():
    from google.cloud import vision as v

    return v.ImageAnnotatorClient()


def read(client, path):
    return client.text_detection(image={"source": {"filename": path}}).text_annotations


def judge(client: "language.LanguageServiceClient", text):
    sentiment = client.analyze_sentiment(document={"content": text}).document_sentiment
    if sentiment.score < 0 and sentiment.magnitude > 1:
        return "angry"
    return "calm"


document = language.Document(content="hello")
greeting = language.LanguageServiceClient().analyze_sentiment(document=document)
if greeting.document_sentiment.score > 0:
    print("a friendly world")

if __name__ == "__main__":
    words = read(build(), sys.argv[1])
    if not words:
        sys.exit(1)
