"""Survey the layers of the torch installed here, and write the table of their legal values."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

from analyzers.assembly import layer_tables

from .survey import survey
from .table_text import written


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.layers_survey", description=__doc__)
    parser.add_argument("--layer", action="append", default=[], help="only this one (repeatable)")
    parser.add_argument("--output", type=Path, required=True, help="the file to write")
    options = parser.parse_args()
    rows, trials = [], 0
    for row, count in survey(options.layer):
        rows.append(row)
        trials += count
        print(f"{len(rows)}: {row['name']}", file=sys.stderr)
    text = written(torch.__version__.partition("+")[0], rows)
    layer_tables.read(text)
    options.output.write_text(text)
    print(f"{len(rows)} layers, {trials:,} trials", file=sys.stderr)


if __name__ == "__main__":
    main()
