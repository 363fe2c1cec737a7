"""Findings that the maintainers have chosen not to hear of."""

import datetime

import pytest

import worker.check.ignored_findings
from analyzers.vocabulary import ChangeSet, FileChange
from tests.analyzers.samples import finding
from worker.check.ignored_findings import added_ignores, ignored_findings, refuse_malformed
from worker.errors import UsageError
from worker.settings.repository_configuration import Configuration, Ignore

CRASH = finding()
SILENCED = "a = 1\nb = 2\nc = a[b]  # assayer: ignore[cloud/crash] known since May\n"


def ignored(*ignores, texts=None):
    found = ignored_findings([CRASH], Configuration(ignore=ignores), texts or {})
    return found.get(CRASH.fingerprint)


def changes(text, *lines):
    return ChangeSet(
        "here", "b" * 40, None, (FileChange("app.py", frozenset(lines)),), {"app.py": text}, {}
    )


def test_nothing_is_ignored_by_itself():
    assert ignored() is None


def test_fingerprint_or_place_is_ignored():
    known = {"reason": "known", "until": None}
    assert ignored(Ignore(fingerprint=CRASH.fingerprint, reason="known")) == known
    assert ignored(Ignore(rule="cloud/crash", path="*.py", reason="known")) == known
    assert ignored(Ignore(rule="cloud/crash", path="other/", reason="known")) is None


def test_ignore_ends_after_its_day(monkeypatch):
    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 2, 28, 23, 59, tzinfo=tz)

    def until(day):
        return ignored(Ignore(fingerprint=CRASH.fingerprint, reason="known", until=day))

    monkeypatch.setattr(worker.check.ignored_findings.datetime, "datetime", Clock)
    assert until(datetime.date(2026, 2, 28)) == {"reason": "known", "until": "2026-02-28"}
    assert until(datetime.date(2026, 2, 27)) is None


def test_comment_ignores_its_rule_on_its_line():
    assert ignored(texts={"app.py": SILENCED}) == {"reason": "known since May", "until": None}
    assert ignored(texts={"app.py": f"\n{SILENCED}"}) is None
    assert ignored(texts={"app.py": SILENCED.replace("crash", "low-recall")}) is None
    assert ignored(texts={"other.py": SILENCED}) is None


def test_malformed_comment_is_never_a_silence():
    with pytest.raises(UsageError) as refused:
        refuse_malformed(changes("a = 1\nb = 2  # assayer: ignore\n"))
    assert "app.py" in str(refused.value)
    assert "2" in str(refused.value)
    refuse_malformed(changes(SILENCED))


def test_silence_that_the_change_adds_is_named():
    assert added_ignores(changes(SILENCED, 3)) == (
        "the change silences cloud/crash at app.py:3: known since May",
    )
    assert added_ignores(changes(SILENCED, 1)) == ()
