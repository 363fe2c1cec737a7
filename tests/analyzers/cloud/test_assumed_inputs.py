"""Branches are judged by inputs only where nothing outside of the API was assumed."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from analyzers.cloud.cloud_analyzer import JUDGING, STAGES, CloudAnalyzer
from analyzers.cloud.messages import ASSUMED, LEARNED
from analyzers.vocabulary import (
    ApiCall,
    Argument,
    Form,
    InputArgument,
    LiteralArgument,
    Probe,
    Reason,
    RecipeArgument,
    SearchResult,
    Skipped,
    Target,
    Verdict,
)
from tests.analyzers.benches import IdleBench

SERVICE: dict[str, Argument] = {
    "service()['facts']": LiteralArgument("{}"),
    "service()['content']": InputArgument(Form.TEXT),
}
MADE: dict[str, Argument] = {"event": RecipeArgument("{'a': 'b'}")}
SOURCE = "def f():\n    return mood()\n"
CALL = ApiCall("google.language.analyze_sentiment", "app.py", "f", 2)
TARGET = Target("app.py", "f", 1, 2, Reason.CHANGED, (CALL,))


class _Bench(IdleBench):
    """A bench whose search finds a template with the given arguments."""

    def __init__(self, arguments: dict[str, Argument]) -> None:
        super().__init__({"app.py": SOURCE})
        self._arguments = arguments

    def search(self, target: Target) -> SearchResult:
        return SearchResult(Probe(target.id, self._arguments))


@pytest.mark.parametrize(("arguments", "reason"), [(SERVICE, ASSUMED), (MADE, LEARNED), ({}, None)])
def test_stages_that_judge_are_withheld(
    arguments: dict[str, Argument], reason: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[object] = []

    def noted(stage: object) -> Callable[[Any], Iterator[Verdict]]:
        def run(look: Any) -> Iterator[Verdict]:
            del look
            ran.append(stage)
            return iter(())

        return run

    replaced = {stage: noted(stage) for stage in STAGES}
    module = "analyzers.cloud.cloud_analyzer"
    monkeypatch.setattr(f"{module}.STAGES", tuple(replaced.values()))
    monkeypatch.setattr(f"{module}.JUDGING", tuple(replaced[stage] for stage in JUDGING))
    verdicts = list(CloudAnalyzer().examine(TARGET, _Bench(arguments)))
    reasons = [each.reason for each in verdicts if isinstance(each, Skipped)]
    assert set(reasons) & {ASSUMED, LEARNED} == ({reason} if reason else set())
    assert set(STAGES) - set(ran) == (set(JUDGING) if reason else set())
