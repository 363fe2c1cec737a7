"""A study of a whole library: what it finds, how it goes on, and that it survives."""

import pytest

from analyzers.guest.relations.study import library_study
from analyzers.guest.relations.study.library_study import study
from analyzers.guest.relations.verification import call_validity
from tests.analyzers.guest.relations.small import CALLS, FUNCTIONS, SmallLibrary


class RecordedStudy:
    """Hears a study of a small library."""

    def __init__(self, monkeypatch, library=None, **changes):
        asked = {
            "library": "small",
            "task": "relations",
            "apis": None,
            "done": {},
            "inputs": 12,
            "seconds": 60.0,
            "seed": 0,
            "workers": 2,
            "oracles": None,
        }
        small = library or SmallLibrary()
        monkeypatch.setattr(
            "analyzers.guest.relations.study.library_study.installed", lambda name: small
        )
        self.frames = []
        self.studied = study({**asked, **changes}, self.frames.append)

    def rows(self, kind):
        return [row for frame in self.frames for row in frame["rows"] if row["kind"] == kind]

    @property
    def holds(self):
        return {
            (row["source"][6:], row["target"][6:]): row["holds"] for row in self.rows("relation")
        }

    @property
    def statuses(self):
        return {row["name"][6:]: row["status"] for row in self.rows("api")}


@pytest.fixture(scope="module")
def heard():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(call_validity, "_KEPT", ("get_level",))
        patch.setattr(library_study, "_SECONDS", 1.0)
        yield RecordedStudy(patch)


@pytest.mark.slow
def test_relations_are_told(heard):
    assert heard.holds["absolute", "magnitude"] == "value"
    assert heard.holds["negative", "negative_"] == "value"
    assert heard.holds["absolute", "positive_part"] == "status"
    assert heard.holds["is_nan", "is_infinite"] == "status"


@pytest.mark.slow
def test_what_succeeds_lends_its_inputs_and_is_a_source_of_the_next_round(heard):
    assert heard.holds["magnitude", "absolute"] == "value"
    assert not any("magnitude" in text for text in CALLS)


@pytest.mark.slow
def test_each_api_has_a_status(heard):
    assert heard.statuses == {
        **dict.fromkeys((name for name in FUNCTIONS), "covered"),
        "random": "random",
        "blank": "uninitialised",
        "raise_level": "unsafe",
        "save": "unsafe",
        "deadly": "uncovered",
        "hanging": "uncovered",
        "picky": "uncovered",
    }


@pytest.mark.slow
def test_nothing_is_compared_with_what_is_excluded(heard):
    names = {name for pair in heard.holds for name in pair}
    assert names.isdisjoint({"random", "blank", "raise_level", "deadly", "hanging", "picky"})


@pytest.mark.slow
def test_deaths_and_hangs_are_noted_with_the_call(heard):
    notes = heard.studied["notes"]
    assert any("signal 6: small.deadly(x) for small.absolute(" in note for note in notes)
    assert any("no end within 1 s: small.hanging(x) for small.absolute(" in note for note in notes)


@pytest.mark.slow
def test_it_is_complete_and_says_what_is_done(heard):
    assert heard.studied["type"] == "studied"
    assert heard.studied["version"] == "1.0"
    assert heard.studied["complete"]
    done = {row["name"] for row in heard.rows("checked") if row["stage"] == "relations"}
    assert {"small.absolute", "small.magnitude"} <= done
    assert all(frame["done"] <= frame["total"] for frame in heard.frames)


def test_what_is_done_only_lends(monkeypatch):
    few = {name: FUNCTIONS[name] for name in ("absolute", "magnitude", "positive_part")}
    heard = RecordedStudy(
        monkeypatch, SmallLibrary(few, CALLS[:2]), done={"relations": ["small.absolute"]}, workers=1
    )
    assert {source for source, _ in heard.holds} == {"magnitude", "positive_part"}
    assert heard.holds["magnitude", "absolute"] == "value"


def test_only_what_is_asked_for_is_a_source(monkeypatch):
    few = {name: FUNCTIONS[name] for name in ("absolute", "magnitude", "positive_part")}
    heard = RecordedStudy(monkeypatch, SmallLibrary(few, CALLS[:2]), apis=["small.absolute"])
    assert {source for source, _ in heard.holds} == {"absolute"}


def test_the_same_study_finds_the_same(monkeypatch):
    few = {name: FUNCTIONS[name] for name in ("absolute", "magnitude", "negative", "negative_")}
    calls = [text for text in CALLS if text.partition("(")[0][6:] in few]
    both = [RecordedStudy(monkeypatch, SmallLibrary(few, calls)).holds for _ in range(2)]
    assert both[0] == both[1] != {}


def test_it_ends_when_its_time_is_over(monkeypatch):
    heard = RecordedStudy(monkeypatch, seconds=0.0)
    assert not heard.studied["complete"]
