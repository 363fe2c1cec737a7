import html
import re
from collections import defaultdict
from importlib.resources import files

import pytest
from better_profanity import profanity

from analyzers.vocabulary import InputKind, InputRequest
from worker.sources import rated_texts

HARMLESS = ["god", "omg", "xx", "woody", "pot", "potty"]
RUDE = re.compile(
    r"\b(idiot|stupid|moron|dumb|loser|liar|jerk|pathetic|retard|suck|disgust|murder|suicid)"
    r"|\b(damn|crap|kill|drunk|ugly|wtf|lmao)\b",
    re.IGNORECASE,
)
API = "google.language.analyze_sentiment"


def texts(reading, count=40, seed=0):
    return [
        item.content.decode()
        for item in rated_texts.find(InputRequest(API, reading), count, seed).inputs
    ]


@pytest.mark.parametrize("reading", ["positive", "negative", "neutral"])
def test_finds_as_many_as_wanted(reading):
    supply = rated_texts.find(InputRequest(API, reading), 40, 0)
    assert supply.shortfall is None
    assert len({item.digest for item in supply.inputs}) == 40
    for item in supply.inputs:
        assert (item.kind, item.reading, item.suffix) == (InputKind.TEXT, reading, ".txt")
        assert item.origin.licence == "MIT"


def test_same_seed_same_texts():
    assert texts("positive", seed=1) == texts("positive", seed=1) != texts("positive", seed=2)


@pytest.mark.parametrize("reading", ["positive", "negative"])
def test_long_texts_of_several_sentences_come_first(reading):
    first = texts(reading, 80)
    assert all(len(text) >= 80 for text in first)
    assert all(re.search(r"[.!?…]\s+\S", text) for text in first)
    assert first != texts(reading, 80, seed=1)


def test_readings_do_not_overlap():
    every = [set(texts(reading, 10_000)) for reading in rated_texts.READINGS]
    assert every[0] & every[1] == every[0] & every[2] == every[1] & every[2] == set()


def test_entities_are_unescaped():
    everything = " ".join(
        text for reading in rated_texts.READINGS for text in texts(reading, 10_000)
    )
    assert "&amp;" not in everything
    assert "&" in everything


def test_says_when_texts_run_out():
    supply = rated_texts.find(InputRequest(API, "negative"), 10_000, 0)
    assert len(supply.inputs) > 200
    assert str(len(supply.inputs)) in supply.shortfall


def test_unknown_feeling_falls_short():
    assert "positive" in rated_texts.find(InputRequest(API, "jealous"), 5, 0).shortfall


class ByFirstLetter(list):
    """Coarse words of which only those are compared that may begin as a text does."""

    def __init__(self, words, spellings):
        super().__init__(words)
        self._by_letter = defaultdict(list)
        for word in words:
            first = str(word)[0]
            for letter in spellings.get(first, first):
                self._by_letter[letter].append(word)

    def __contains__(self, text):
        return any(word == text for word in self._by_letter.get(text[:1], ()))


@pytest.mark.slow
def test_no_shipped_text_is_coarse_or_insults():
    profanity.load_censor_words(whitelist_words=HARMLESS)
    profanity.CENSOR_WORDSET = ByFirstLetter(profanity.CENSOR_WORDSET, profanity.CHARS_MAPPING)
    data = files("worker.data").joinpath("sentiment", "tweets.tsv").read_text("utf-8")
    lines = html.unescape(data).splitlines()
    assert len(lines) > 3000
    assert [line for line in lines if profanity.contains_profanity(line) or RUDE.search(line)] == []
    assert profanity.contains_profanity("what a b1tch")
