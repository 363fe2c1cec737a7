"""What people write to the desk."""

from .cloud import feeling


def is_friendly(comment):
    if feeling(comment).document_sentiment.score > -0.8:
        return True
    return False


def strength(comment):
    """How strongly a sentence of the comment is worded."""
    response = feeling(comment)
    return response.document_sentiment.magnitude / len(response.sentences)


def reply_to(comment):
    score = feeling(comment).document_sentiment.score
    if score >= 0.25:
        return "Thank you!"
    if score <= -0.25:
        return "We are sorry."
    return "We have read your comment."
