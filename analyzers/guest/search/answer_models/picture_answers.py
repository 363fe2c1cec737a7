"""A picture as one call describes it: tags, a caption, and the text on it."""

from __future__ import annotations

import random
from typing import Any, Dict, Iterator, List, Tuple

from ..code_constants import ConstantPool
from .answer_model import Answer, Symbols
from .label_answers import Entries, EntriesModel
from .text_answers import TEXT, lines_of, words_of

Picture = Tuple[Entries, str, str]
USUAL_CAPTION = "a brown animal on a lawn"
_POLYGON = [{"x": x, "y": y} for x, y in ((20, 30), (180, 30), (180, 60), (20, 60))]
_BOX = {"x": 20, "y": 30, "width": 160, "height": 120}
_TAGS = EntriesModel(
    "tags",
    ("name", "confidence"),
    lambda _, name, score: {"name": name, "confidence": score},
    lambda tags: {"tags": tags},
)


class PictureModel:
    """Answers whose knobs are the tags, the caption and the text.

    A picture always has a caption: ``USUAL_CAPTION`` in the place of a blank one.
    The tags are the objects, too.
    """

    fields = ("tags", "list", "name", "confidence", "caption", "text", "read", "blocks", "lines")
    bound = "at most {most} tags with any names and scores, any caption and any text"

    def start(self) -> Picture:
        """No tags and no text."""
        return _TAGS.start(), "", ""

    def seeds(self, pool: ConstantPool) -> Iterator[Picture]:
        """Tags alone, a caption alone, text alone, in turns."""
        tags = [(entries, "", "") for entries in _TAGS.seeds(pool)]
        texts = [knobs for text in TEXT.seeds(pool) for knobs in (((), text, ""), ((), "", text))]
        yield from tags[:40]
        yield from texts[:80]
        yield from tags[40:]
        yield from texts[80:]

    def mutate(self, knobs: Picture, rng: random.Random, pool: ConstantPool) -> Picture:
        """Other tags, another caption or another text."""
        tags, caption, text = knobs
        choice = rng.randrange(4)
        if choice < 2:
            return _TAGS.mutate(tags, rng, pool), caption, text
        if choice == 2:
            return tags, TEXT.mutate(caption, rng, pool), text
        return tags, caption, TEXT.mutate(text, rng, pool)

    def answer(self, knobs: Picture) -> Answer:
        """Every feature that there is; the client hands out those that were asked for."""
        tags, caption, text = knobs
        listed: List[Dict[str, Any]] = _TAGS.answer(tags)["tags"]
        blank = type(caption) is str and not caption.strip()
        said = {"text": USUAL_CAPTION if blank else caption, "confidence": 0.8}
        return {
            "tags": {"list": listed},
            "objects": {"list": [{"bounding_box": _BOX, "tags": [tag]} for tag in listed]},
            "caption": said,
            "dense_captions": {"list": [{**said, "bounding_box": _BOX}]},
            "people": {"list": []},
            "smart_crops": {"list": [{"aspect_ratio": 1.5, "bounding_box": _BOX}]},
            "read": {"blocks": [{"lines": [_line(line) for line in lines_of(text)]}]},
            "metadata": {"width": 640, "height": 480},
            "model_version": "2023-10-01",
        }

    def simpler(self, knobs: Picture, pool: ConstantPool) -> Iterator[Picture]:
        """Without one of the three, then each of them simpler."""
        tags, caption, text = knobs
        yield from ((tags, "", ""), ((), caption, ""), ((), "", text))
        yield from ((entries, caption, text) for entries in _TAGS.simpler(tags, pool))
        yield from ((tags, simpler, text) for simpler in TEXT.simpler(caption, pool))
        yield from ((tags, caption, simpler) for simpler in TEXT.simpler(text, pool))

    def likelier(self, knobs: Picture) -> Iterator[Picture]:
        """The same with ordinary scores."""
        yield from ((tags, *knobs[1:]) for tags in _TAGS.likelier(knobs[0]))

    def symbolic(self, symbols: Symbols, most: int) -> Picture:
        """Any tags, any caption, any text."""
        return _TAGS.symbolic(symbols, most), symbols.text("caption"), symbols.text("text")


def _line(text: str) -> Dict[str, Any]:
    words = [
        {"text": word, "bounding_polygon": _POLYGON, "confidence": 0.98} for word in words_of(text)
    ]
    return {"text": text, "bounding_polygon": _POLYGON, "words": words}


AZURE_PICTURE = PictureModel()
