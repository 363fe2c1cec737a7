"""Sums up the lines of a survey, each asked about by itself."""

import boto3

comprehend = boto3.client("comprehend", region_name="eu-west-1")


def summary(text):
    good = bad = 0
    for line in text.splitlines():
        if not line.strip():
            continue
        mood = comprehend.detect_sentiment(Text=line, LanguageCode="en")["Sentiment"]
        if mood == "POSITIVE":
            good += 1
        elif mood == "NEGATIVE":
            bad += 1
    if good > bad:
        return "liked"
    return "not liked"
