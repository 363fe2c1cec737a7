"""Texts, made comparable."""


def tidy(text):
    return " ".join(text.lower().split())
