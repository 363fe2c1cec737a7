"""Write the table by which classes of ImageNet become the labels of Google and Amazon.

    python scripts/build_label_table.py

It reads which classes there are from the table itself, their meanings from WordNet 3.0
(Debian's ``wordnet-base``) and the labels from ``analyzers/catalogue/vocabularies``.
A meaning gets a label that is one of its words, where that meaning is the word's first; a class
of ImageNet any that is its name.  ``ALLOWED`` and ``REFUSED`` are what a person decided otherwise,
``ADDED`` what no word says.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from analyzers.catalogue import Grade, vocabulary  # noqa: E402

TABLE = ROOT / "worker" / "data" / "labels" / "imagenet.tsv"
WORDNET = Path("/usr/share/wordnet")
HEAD = ("class", "synset", "above", "words", "google", "aws")

ALLOWED = {
    1627424: "amphibian",
    1662784: "turtle",
    1698434: "alligator",
    1915811: "coral",
    2008041: "heron",
    2062744: "whale",
    2068974: "dolphin",
    2076196: "seal",
    2083346: "canine",
    2127808: "big cats",
    2456962: "sloth",
    2469914: "primate",
    1982650: "lobster",
    3438257: "glass",
    4379243: "table",
    4379964: "table",
    3725035: "mask",
    4230808: "skirt",
    4467099: "trailer",
    4004475: "printer",
    3151500: "cushion",
    3441112: "glove",
    2880940: "bowl",
    3797390: "mug",
    7555863: "food",
    7557434: "dish",
    17222: "plant",
    3665366: "light",
    4520170: "van",
    3380867: "footwear",
    7588947: "stew",
    9287968: "landform",
    7720442: "pepper",
}
REFUSED = {
    *(3956922, 3154073, 3540267, 14940386, 14939900, 14580897, 4377057, 21939, 3076708),
    *(4341686, 4475, 10439851, 3183080, 1905661),
    *(1608432, 2113186, 2276258, 2892201, 3804744, 3929660, 4243546, 12620546, 13133613),
}
"""Other senses (a works, a cutter, a kite that is a bird), and what says nothing (an artifact)."""
ADDED = {
    **dict.fromkeys((2948072, 4456115, 3729826), ("Flame", "Fire")),
    **dict.fromkeys((2084071, 2121620), ("Pet",)),
}
"""A candle, a torch and a match show their flame; dogs and cats are pets."""


def main() -> None:
    """Write the table anew."""
    rows = [line.split("\t") for line in TABLE.read_text("utf-8").splitlines()[1:]]
    classes = {int(row[1]): row[0] for row in rows if row[0]}
    TABLE.write_text("".join("\t".join(row) + "\n" for row in (HEAD, *made(classes))), "utf-8")


def made(classes: dict[int, str]) -> Iterable[tuple[str, ...]]:
    """Yield a row for each class and each meaning above one, in the order of WordNet."""
    data = (WORDNET / "data.noun").read_bytes()
    meanings: dict[int, tuple[list[str], list[int]]] = {}
    waiting = list(classes)
    while waiting:
        offset = waiting.pop()
        if offset not in meanings:
            meanings[offset] = _meaning(data, offset)
            waiting += meanings[offset][1]
    is_first = _first_senses()
    for offset, (words, above) in sorted(meanings.items()):
        meant = [word for word in words if is_first(word, offset)]
        meant += [ALLOWED[offset]] if offset in ALLOWED else words[:1] if offset in classes else []
        meant = [] if offset in REFUSED else meant
        labels = (
            _labels(name, meant, ADDED.get(offset, ())) for name in ("openimages", "rekognition")
        )
        over = " ".join(f"{each:08d}" for each in above)
        yield (classes.get(offset, ""), f"{offset:08d}", over, ", ".join(words), *labels)


def _meaning(data: bytes, offset: int) -> tuple[list[str], list[int]]:
    """Return the words of a synset and the synsets right above it (wndb(5WN))."""
    fields = data[offset : data.index(b"\n", offset)].decode("ascii").split(" | ")[0].split()
    count = int(fields[3], 16)
    words = [fields[4 + 2 * place].replace("_", " ") for place in range(count)]
    start = 4 + 2 * count + 1
    pointers = [fields[at : at + 3] for at in range(start, start + 4 * int(fields[start - 1]), 4)]
    return words, [int(to) for kind, to, part in pointers if kind in {"@", "@i"} and part == "n"]


def _first_senses() -> Callable[[str, int], bool]:
    lines = (WORDNET / "index.noun").read_text("ascii").splitlines()
    entries = (line.split() for line in lines if not line.startswith(" "))
    first = {fields[0]: int(fields[-int(fields[2])]) for fields in entries}
    return lambda word, offset: first.get(word.lower().replace(" ", "_"), offset) == offset


def _labels(name: str, words: Iterable[str], added: Iterable[str]) -> str:
    """Return the labels of a vocabulary: the first that a word is, and those that are added."""
    known = vocabulary(name)
    named = (known.canonical(word) for word in words if known.grade(word) is not Grade.UNKNOWN)
    # "Drill (Animal)" is another meaning's
    found = next((label for label in named if label and "(" not in label), None)
    also = [label for label in added if label in known.labels]
    return ", ".join(dict.fromkeys([*([found] if found else []), *also]))


if __name__ == "__main__":
    main()
