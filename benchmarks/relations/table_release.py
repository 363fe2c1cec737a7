"""Copy a relation table into the wheel.

``python -m benchmarks.relations.table_release torch [--judged FOLDER]``

Copies the table that was built here for the installed version to
``analyzers/relations/data/LIBRARY-RELEASE/``, and writes beside it the
divergences of the files in FOLDER (``benchmarks/relations/judged/*.jsonl``, those
of that library), each once, in order, checked as whoever reads them checks
them.  Exit status 1 where a row is not as rows are.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from analyzers.relations import table_folders
from analyzers.relations.relation_tables import RelationTable, line, tables
from analyzers.relations.table_rows import InvalidRowError, judged
from analyzers.vocabulary import JsonObject
from worker.studies.study_journal import folder, use_built_tables

DATA = Path(table_folders.__file__).parent / "data"
JUDGED = Path(__file__).parent / "judged"
FIELDS = (
    *("api", "rule", "relation", "related", "call", "outcome", "expected"),
    *("judged", "note"),
)
KEY = ("api", "relation", "related", "rule", "call")


def main() -> int:
    """Write the table; say what it holds."""
    asked = _arguments()
    use_built_tables()
    built = [each for each in tables() if each.library == asked.library and not each.is_shipped]
    if not built:
        print(f"no table of {asked.library} was built here: assayer relations build")
        return 1
    place = DATA / f"{asked.library}-{built[-1].version.partition('+')[0]}"
    _copy(built[-1], place)
    try:
        rows = _divergences(sorted(asked.judged.glob("*.jsonl")), asked.library)
    except (InvalidRowError, ValueError) as error:
        print(error)
        return 1
    (place / table_folders.DIVERGENCES).write_text("".join(map(line, rows)), "utf-8")
    print(f"{place}: {dict(Counter(str(row['judged']) for row in rows))} divergences")
    return 0


def _copy(table: RelationTable, place: Path) -> None:
    place.mkdir(parents=True, exist_ok=True)
    for name in (table_folders.ABOUT, table_folders.APIS, table_folders.RELATIONS):
        (place / name).write_bytes((folder() / "tables" / table.name / name).read_bytes())


def _divergences(files: Iterable[Path], library: str) -> list[JsonObject]:
    """The rows of a library, each call of an API by an oracle once: the last that was judged."""
    found: dict[tuple[str, ...], JsonObject] = {}
    for row in (row for file in files for row in _rows(file)):
        if str(row["api"]).startswith(f"{library}."):
            plain: JsonObject = {name: row.get(name, "") for name in FIELDS}
            judged(plain, library)
            found[tuple(str(plain[name]) for name in KEY)] = plain
    return [found[key] for key in sorted(found)]


def _rows(file: Path) -> Iterator[JsonObject]:
    for text in file.read_text("utf-8").splitlines():
        if text.strip():
            yield json.loads(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--judged", type=Path, default=JUDGED)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
