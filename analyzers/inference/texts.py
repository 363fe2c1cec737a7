"""The project's texts as a mapping, read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzers.ports import Bench


class Texts(Mapping[str, str]):
    """The texts of head by path."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._paths = tuple(bench.paths())

    def __getitem__(self, path: str) -> str:
        return self._bench.source(path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)
