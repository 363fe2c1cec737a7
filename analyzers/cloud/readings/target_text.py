"""Common parts of what is read: the finding, and the calls of a target in its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analyzers.catalogue import Api
from analyzers.cloud.branch_findings import NAME
from analyzers.cloud.source_edits import SourceText, parsed_source
from analyzers.guest.provenance.bindings import FUNCTIONS
from analyzers.ports import Executor
from analyzers.rules import Rule
from analyzers.vocabulary import Finding, Json, Level, Target, Written


@dataclass(frozen=True, slots=True)
class TargetText:
    """A target, the APIs that it asks, and the executor that has the project's texts."""

    target: Target
    apis: Mapping[str, Api]
    bench: Executor

    def calls(self) -> Iterator[tuple[str, SourceText, ast.Call, Api]]:
        """Yield the requests of the target: file, text, call and API."""
        texts: dict[str, SourceText | None] = {}
        for each in self.target.calls:
            if each.path not in texts:
                texts[each.path] = self._parsed(each.path)
            text, api = texts[each.path], self.apis.get(each.api)
            call = None if text is None or api is None else _call_at(text.tree, each.line, api)
            if text is not None and api is not None and call is not None:
                yield each.path, text, call, api

    def _parsed(self, path: str) -> SourceText | None:
        if path not in self.bench.paths():
            return None
        try:
            return parsed_source(self.bench.source(path))
        except (SyntaxError, ValueError, RecursionError):
            return None

    def finding(
        self,
        rule: Rule,
        path: str,
        text: SourceText,
        node: ast.AST,
        words: tuple[str, str],
        evidence: Mapping[str, Json],
        kind: str,
    ) -> Finding:
        """Return the finding of an expression: a warning, as nothing was run."""
        first, last = text.span(node)
        line, code = text.line_of(first), text.segment(node)
        function = next((n.name for n in text.ancestors(node) if isinstance(n, FUNCTIONS)), "")
        return Finding(
            analyzer=NAME,
            rule=rule.id,
            level=Level.WARNING,
            path=path,
            line=line,
            end_line=text.line_of(last - 1),
            symbol=f"{path}::{function or '<module>'}",
            target=self.target.id,
            title=words[0],
            message=words[1],
            evidence=dict(evidence),
            probes=(),
            criterion=Written(path, code),
            input_kind=f"{kind}:{code}",
        )


def _call_at(tree: ast.AST, line: int, api: Api) -> ast.Call | None:
    """Return the call of one of an API's methods at a line."""
    names = {method.rpartition(".")[2] for method in (*api.methods, *api.requests)}
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return next(
        (
            call
            for call in calls
            if isinstance(call.func, ast.Attribute)
            and call.func.attr in names
            and call.lineno <= line <= (call.end_lineno or call.lineno)
        ),
        None,
    )
