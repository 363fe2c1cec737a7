"""Texts, made comparable."""


def tidy(text):
    return text.upper()
