"""Whether guided searches amplify more than unguided ones: the table of their runs."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

DRAWS = 10_000
Row = Mapping[str, Any]

_HEAD = (
    "| model | runs | rate, guided | unguided | amplified, guided | unguided "
    "| told, guided | unguided | better in | p | doublings more, 95 % interval |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|"
)


def table(rows: Sequence[Row]) -> str:
    """A line a model, and how many are amplified more by guiding."""
    models = list(dict.fromkeys(row["model"] for row in rows))
    pairs = {model: _paired(rows, model) for model in models}
    lines = [_line(model, found) for model, found in pairs.items()]
    higher = sum(_mean(found, 0, "rate") > _mean(found, 1, "rate") for found in pairs.values())
    surely = sum(interval(_differences(found))[0] > 0 for found in pairs.values())
    total = (
        f"The mean rate is higher guided in {higher} of {len(models)} models; "
        f"the interval of the doublings is above nothing in {surely}."
    )
    return "\n".join([_HEAD, *lines, "", total])


def interval(differences: Sequence[float], draws: int = DRAWS) -> tuple[float, float]:
    """The 95 % interval of a mean by the percentiles of means of samples drawn again."""
    rng = random.Random(0)
    means = sorted(mean(rng.choices(differences, k=len(differences))) for _ in range(draws))
    return means[int(0.025 * draws)], means[int(0.975 * draws)]


def sign_test(differences: Sequence[float]) -> float:
    """How likely so many positive ones or more are where either sign is as likely."""
    known = [each for each in differences if each]
    positive = sum(each > 0 for each in known)
    ways = sum(math.comb(len(known), count) for count in range(positive, len(known) + 1))
    return ways / 2 ** len(known)


def _paired(rows: Sequence[Row], model: str) -> list[tuple[Row, Row]]:
    """The guided and the unguided run of each seed."""
    found = {(row["seed"], row["guided"]): row for row in rows if row["model"] == model}
    seeds = sorted({seed for seed, _ in found})
    return [
        (found[seed, True], found[seed, False])
        for seed in seeds
        if (seed, True) in found and (seed, False) in found
    ]


def _differences(pairs: Sequence[tuple[Row, Row]]) -> list[float]:
    return [guided["doublings"] - unguided["doublings"] for guided, unguided in pairs]


def _mean(pairs: Sequence[tuple[Row, Row]], which: int, name: str) -> float:
    return mean(pair[which][name] for pair in pairs)


def _line(model: str, pairs: Sequence[tuple[Row, Row]]) -> str:
    differences = _differences(pairs)
    low, high = interval(differences)
    better = sum(each > 0 for each in differences)
    cells = [
        model,
        str(len(pairs)),
        *(f"{_mean(pairs, which, 'rate'):.2f}" for which in (0, 1)),
        *(f"{100 * _mean(pairs, which, 'amplified'):.0f} %" for which in (0, 1)),
        *(str(sum(pair[which]["told"] for pair in pairs)) for which in (0, 1)),
        f"{better} of {len(pairs)}",
        f"{sign_test(differences):.3f}",
        f"{mean(differences):.2f} ({low:.2f} to {high:.2f})",
    ]
    return f"| {' | '.join(cells)} |"
