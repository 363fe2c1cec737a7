"""A pytest plugin: write what becomes of each test as it ends, and limit the time of each.

The record is a file of JSON lines, so that a process that is killed still tells what failed and
which test was running.  The limit of a test is ten times the known seconds of its file.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
from collections.abc import Generator
from pathlib import Path

# tests replace the functions of `time`; this clock is the same in all processes
from time import monotonic as now
from typing import Any

import pytest

TIMES_KNOWN = 10
# a test that stays in C code past its limit is not interrupted by a signal; its process is ended
LATER = 60.0
STDERR = os.dup(2)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options that the gate passes."""
    for name, kind in (("record", Path), ("durations", Path), ("limit", float)):
        parser.addoption(f"--gate-{name}", type=kind, required=True)


def pytest_configure(config: pytest.Config) -> None:
    """Record from now on."""
    config.pluginmanager.register(Recorder(config), "gate-recorder")


class Recorder:
    """The writer of one record."""

    def __init__(self, config: pytest.Config) -> None:
        options: Any = config.option
        durations: Path = options.gate_durations
        self._file = options.gate_record.open("a", buffering=1)
        self._least: float = options.gate_limit
        known: Any = json.loads(durations.read_text()) if durations.exists() else {}
        self._durations: dict[str, dict[str, float]] = known

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Limit the time of each test."""
        for item in items:
            item.add_marker(pytest.mark.timeout(self._limit(item.nodeid), method="signal"))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Record which tests are going to run; what is imported by now is never garbage."""
        gc.collect()
        gc.freeze()
        self._write(collected=[item.nodeid for item in session.items])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a file that cannot be collected, or skips all that is in it."""
        if not report.passed:
            self._write(id=report.nodeid, when="collect", **_told(report))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Record which test is running."""
        self._write(id=nodeid, when="start")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record how the set-up, the call or the teardown of a test ended."""
        self._write(id=report.nodeid, when=report.when, seconds=report.duration, **_told(report))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """End the process if the limit does not end the test."""
        seconds = self._limit(item.nodeid) + LATER
        faulthandler.dump_traceback_later(seconds, exit=True, file=STDERR)
        try:
            return (yield)
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _limit(self, nodeid: str) -> float:
        file = nodeid.partition("::")[0]
        known = sum(kind.get(file, 0.0) for kind in self._durations.values())
        return max(self._least, TIMES_KNOWN * known)

    def _write(self, **event: Any) -> None:
        self._file.write(json.dumps({**event, "at": now()}) + "\n")


def _told(report: pytest.CollectReport | pytest.TestReport) -> dict[str, Any]:
    """Return the outcome, why the test was skipped, and whether it ran past its limit."""
    longrepr = report.longrepr
    reason = longrepr[2] if isinstance(longrepr, tuple) else getattr(report, "wasxfail", "")
    hung = report.failed and "from pytest-timeout" in report.longreprtext
    return {"outcome": report.outcome, "reason": reason, "hung": hung}
