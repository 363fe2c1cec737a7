"""Hashes of lines by the published algorithm with which GitHub follows an alert over commits.

Source: ``src/fingerprints.ts`` of github/codeql-action (MIT, Copyright (c) 2020 GitHub).
"""

from __future__ import annotations

from collections import Counter

WINDOW = 100
_FACTOR = 37
_MASK = (1 << 64) - 1
_NEWLINE = ord("\n")
_BLANK = (ord(" "), ord("\t"))
_END = 0xFFFF


def line_hashes(text: str) -> list[str]:
    """Return ``hash:occurrence`` of each line: of the 100 characters from its start, blanks apart.

    Characters are UTF-16 code units; each kind of line end counts as a newline.
    """
    units = _units(text)
    starts = [0] + [place + 1 for place, unit in enumerate(units) if unit == _NEWLINE]
    padded = units + [0] * WINDOW
    seen: Counter[int] = Counter()
    hashes: list[str] = []
    for start in starts:
        value = 0
        for unit in padded[start : start + WINDOW]:
            value = (value * _FACTOR + unit) & _MASK
        seen[value] += 1
        hashes.append(f"{value:x}:{seen[value]}")
    return hashes


def _units(text: str) -> list[int]:
    content = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-16-le", "surrogatepass")
    units = memoryview(content).cast("H").tolist()
    return [unit for unit in units if unit not in _BLANK] + [_END]
