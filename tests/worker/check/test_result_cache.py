"""Results of runs before are taken where nothing that they rest on has changed, and only there."""

import pkgutil
from dataclasses import is_dataclass, replace
from enum import Enum
from importlib import import_module
from inspect import getmembers, isclass

import pytest

from analyzers import vocabulary
from analyzers.vocabulary import (
    Broken,
    Coverage,
    Input,
    InputArgument,
    InputKind,
    LiteralArgument,
    Origin,
    Probe,
    Skipped,
    Status,
    Suggestion,
    TargetCounters,
)
from tests.analyzers.samples import finding
from tests.worker.sessions import answered, target
from worker.check.result_cache import ResultCache, is_decided
from worker.check.result_codec import _CLASSES, TargetResult, from_text, to_text
from worker.check.result_store import BlobResults, FolderResults
from worker.store.blobs import Blobs

TARGET = target()
PICTURE = Input(InputKind.IMAGE, b"\x89PNG\xff", "a picture", "Fire", ".png", Origin("drawn"))
FOUND = finding(
    probes=(answered("Sky"), Probe(TARGET.id, {"picture": PICTURE, "n": LiteralArgument("3")})),
    suggestion=Suggestion("app.py", 2, 3, "    return 1", verified=True),
    evidence={"rate": 0.5, "of": [1, None, "\ud800"], "deep": {"nan": float("inf")}},
)
RESULT = TargetResult(
    (FOUND, Skipped("cloud", TARGET.id, "no engine")),
    TargetCounters(goals_total=3, executions=12),
    Coverage(completed=12, answered=12),
    ("app.py: a note",),
    allotted=30.0,
    seconds=2.5,
)


def cache(tmp_path, key="k", **options):
    return ResultCache(FolderResults(tmp_path, "owner"), lambda _: key, **options)


def kept(tmp_path, result=RESULT, key="k", *, decided=True):
    made = cache(tmp_path, key)
    made.keep(TARGET, result, decided=decided)
    made.close()


def test_result_is_read_as_it_was_written():
    again = from_text(to_text(RESULT))
    assert again == RESULT
    assert again.verdicts[0].fingerprint == FOUND.fingerprint
    assert isinstance(again.verdicts[0].probes[1].arguments["picture"], Input)
    assert InputArgument.__name__ in _CLASSES


def test_every_part_of_the_vocabulary_can_be_kept():
    found = {
        each
        for module in pkgutil.iter_modules(vocabulary.__path__, "analyzers.vocabulary.")
        for _, each in getmembers(import_module(module.name), isclass)
        if each.__module__ == module.name
        and not each.__name__.startswith("_")
        and (is_dataclass(each) or issubclass(each, Enum))
    }
    assert {each.__name__ for each in found if each not in _CLASSES.values()} == set()


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b'{"schema": "assayer-result/1", "result": {"class": "Popen", "fields": {}}}',
        b'{"schema": "assayer-result/1", "result": {"class": "Skipped", "fields": {"x": 1}}}',
        b'{"schema": "assayer-result/9", "result": null}',
        b'{"schema": "assayer-result/1", "result": {"eval": "1"}}',
    ],
)
def test_what_is_no_result_is_refused(text):
    with pytest.raises(ValueError, match=r"text|Expecting"):
        from_text(text)


def test_same_key_takes_the_result_and_another_does_not(tmp_path):
    kept(tmp_path)
    assert cache(tmp_path).take(TARGET, 30.0) == RESULT
    assert cache(tmp_path, "other").take(TARGET, 30.0) is None
    assert cache(tmp_path, None).take(TARGET, 30.0) is None
    assert cache(tmp_path).take(target("two.py"), 30.0) is None


def test_fresh_takes_nothing_and_keeps(tmp_path):
    kept(tmp_path)
    fresh = cache(tmp_path, fresh=True)
    assert fresh.take(TARGET, 30.0) is None
    later = replace(RESULT, seconds=9.0)
    fresh.keep(TARGET, later, decided=True)
    fresh.close()
    assert cache(tmp_path).take(TARGET, 30.0) == later


def test_result_of_little_time_serves_no_run_with_much(tmp_path):
    kept(tmp_path, replace(RESULT, allotted=10.0))
    assert cache(tmp_path).take(TARGET, 50.0) is None
    assert cache(tmp_path).take(TARGET, 11.0) is not None
    kept(tmp_path, replace(RESULT, allotted=60.0))
    assert cache(tmp_path).take(TARGET, 900.0) is not None


UNDECIDED = {
    "flaky": replace(RESULT, verdicts=(replace(FOUND, status=Status.FLAKY),)),
    "broken": replace(RESULT, verdicts=(Broken("cloud", TARGET.id, "ours"),)),
    "our limit": replace(RESULT, verdicts=(Skipped("x", TARGET.id, "memory", our_fault=True),)),
    "budget": replace(RESULT, coverage=Coverage(out_of_time=True)),
    "an analyzer's share": replace(
        RESULT, verdicts=(Skipped("cloud", TARGET.id, "3 goals: the time budget was spent"),)
    ),
    "paid questions": replace(RESULT, coverage=Coverage(refused="500 questions were asked")),
    "interrupted": replace(RESULT, coverage=Coverage(interrupted=True)),
    "time-out": replace(RESULT, coverage=Coverage(endings=("1 of 2 runs took longer than 5 s",))),
}


@pytest.mark.parametrize("result", UNDECIDED.values(), ids=UNDECIDED)
def test_undecided_is_never_taken(tmp_path, result):
    assert is_decided(RESULT)
    assert not is_decided(result)
    kept(tmp_path, result)
    assert cache(tmp_path).take(TARGET, 1.0) is None


def test_undecided_run_forgets_nothing_of_before(tmp_path):
    kept(tmp_path)
    kept(tmp_path, decided=False)
    assert cache(tmp_path).take(TARGET, 30.0) == RESULT


def test_damaged_files_are_no_results(tmp_path):
    kept(tmp_path)
    (file,) = tmp_path.rglob("k.json")
    file.write_bytes(file.read_bytes()[:-20])
    assert cache(tmp_path).take(TARGET, 30.0) is None
    (index,) = tmp_path.rglob("last.json")
    index.write_text('{"x": 1}')
    assert cache(tmp_path).outcomes == {}


def test_outcomes_order_the_next_run(tmp_path):
    kept(tmp_path, decided=False)
    outcome = cache(tmp_path).outcomes[TARGET.id]
    assert (outcome.failed, outcome.seconds) == (True, 2.5)


def test_old_results_of_a_target_are_removed(tmp_path):
    for number in range(7):
        kept(tmp_path, key=f"k{number}")
    files = {file.name for file in tmp_path.rglob("k*.json")}
    assert files == {"k6.json", "k5.json", "k4.json", "k3.json"}


def test_repositories_share_no_results(tmp_path):
    blobs = Blobs(str(tmp_path))
    ours = ResultCache(BlobResults(blobs, "github:us/ours"), lambda _: "k")
    ours.keep(TARGET, RESULT, decided=True)
    ours.close()
    again = ResultCache(BlobResults(blobs, "github:us/ours"), lambda _: "k")
    other = ResultCache(BlobResults(blobs, "github:us/theirs"), lambda _: "k")
    assert again.take(TARGET, 30.0) == RESULT
    assert other.take(TARGET, 30.0) is None
