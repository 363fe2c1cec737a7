"""What shall happen with a comment?"""

from .cloud import sentiment_of


def is_friendly(comment):
    """Friendly comments are shown on the noticeboard."""
    sentiment = sentiment_of(comment).document_sentiment
    return sentiment.score > -0.75


def reply_to(comment):
    """Return how the desk answers."""
    sentiment = sentiment_of(comment).document_sentiment
    if sentiment.score >= 0.25:
        return "Thank you!"
    if sentiment.score <= -0.25:
        return "We are sorry and will call you."
    return "We have read your comment."


def intensity(comment):
    """Return how strongly a comment is worded, a sentence."""
    response = sentiment_of(comment)
    strength = response.document_sentiment.magnitude / len(response.sentences)
    return "strong" if strength > 0.6 else "calm"
