# %% Setup
import csv
import os

from google.cloud import language_v1

DATA = "data/reviews.csv"
rows = []
if os.path.exists(DATA):
    with open(DATA, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

# %% Sentiment
scores = {}
if rows:
    client = language_v1.LanguageServiceClient()
    for row in rows[:50]:
        document = {"content": row["text"], "type_": language_v1.Document.Type.PLAIN_TEXT}
        answer = client.analyze_sentiment(document=document)
        scores[row["id"]] = answer.document_sentiment.score

# %% Result
if scores:
    worst = min(scores, key=scores.get)
    print(worst, scores[worst])
else:
    print("no reviews yet")
