# ruff: noqa -- written as applications are written
"""Functions that branch on the sentiment of a text."""

from google.cloud import language_v1

NEGATIVE = -0.25
STARS = [(-0.6, 1), (-0.2, 2), (0.2, 3), (0.6, 4)]


def _sentiment(text):
    client = language_v1.LanguageServiceClient()
    document = language_v1.Document(content=text, type_=language_v1.Document.Type.PLAIN_TEXT)
    return client.analyze_sentiment(request={"document": document}).document_sentiment


def mood(text):
    sentiment = _sentiment(text)
    if sentiment.score > 0.25 and sentiment.magnitude > 1.5:
        return "very positive"
    elif sentiment.score > 0.25:
        return "positive"
    elif sentiment.score < NEGATIVE:
        return "negative"
    return "mixed" if sentiment.magnitude >= 3 else "neutral"


def stars(review):
    score = _sentiment(review).score
    for limit, star in STARS:  # fixed: false
        if score < limit:
            return star
    return 5


def escalate(message, customer="new"):
    score = round(_sentiment(message).score, 1)
    if score <= -0.8:
        return "call"
    if -0.8 < score <= -0.3:  # infeasible: .0:false
        return "mail"
    return None


def percent(text):
    value = int((_sentiment(text).score + 1) * 50)
    if value == 100:
        return "top"
    if value in (0, 50):
        return "notable"
    return value


def impossible_score(text):
    sentiment = _sentiment(text)
    if sentiment.score > 1.5:  # infeasible: true
        return "out of range"
    if sentiment.magnitude < 0:  # infeasible: true
        return "negative magnitude"
    return "fine"


def clear(text):
    sentiment = _sentiment(text)
    return abs(sentiment.score) * sentiment.magnitude > 2.5 or sentiment.score == 0


def shout(tweet):
    if len(tweet) > 280:  # fixed: true false
        return "too long"
    sentiment = _sentiment(tweet)
    density = sentiment.magnitude / max(len(tweet.split()), 1)
    if density > 0.7 and not sentiment.score > 0:
        return "rant"
    return "chat"
