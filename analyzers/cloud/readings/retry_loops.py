"""Requests that are repeated without end while they fail, or while their answer cannot be read."""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.cloud.readings.target_text import TargetText
from analyzers.rules.cloud_rules import MISUSE
from analyzers.rules.source_messages import endless_retry
from analyzers.source_checks.endless_loops import KIND, endless_loop
from analyzers.vocabulary import Finding


def retry_loops(source: TargetText) -> Iterator[Finding]:
    """Yield the loops that nothing but success ends."""
    for path, text, call, api in source.calls():
        loop = endless_loop(call, text.tree)
        if loop is None:
            continue
        line = text.line_of(text.span(loop)[0])
        yield source.finding(
            MISUSE,
            path,
            text,
            loop.test,
            endless_retry(api.name, f"{path}:{line}"),
            {"misuse": KIND, "api": api.name, "line": line},
            KIND,
        )
