"""Words upon what the same picture shows, where two vision APIs are asked about it."""

import pytest

from analyzers import catalogue
from analyzers.cloud.objectives import objectives
from analyzers.vocabulary import BranchOutcome, Exchange, Form, InputArgument, Probe, Witness
from tests.analyzers.cloud.bench import Case, FakeBench, answer_of

TEXT, LABELS = "google.vision.text_detection", "google.vision.label_detection"


def wished(condition: str, words: str, names: list[str]):
    """What is wished for where answers of both APIs lead to a branch."""
    lines = ("def check(path):", f"    said, names = text(), {names!r}", f"    if {condition}:")
    source = "\n".join((*lines, "        pass", ""))
    case = Case(source, TEXT)
    script = (
        Exchange(TEXT, "", answer_of(TEXT, words)),
        Exchange(LABELS, "", answer_of(LABELS, names)),
    )
    probe = Probe(case.target.id, {"path": InputArgument(Form.PATH)}, script)
    bench = FakeBench(case)
    goal = next(
        g for g in case.target.goals if g.clause is None and g.outcome is BranchOutcome.TRUE
    )
    replayed = [(Witness(goal.id, probe, confirmed=True), run) for run in bench.run([probe])]
    return [
        wish.wanted for wish in objectives(case.target, replayed, catalogue.load_catalogue(), bench)
    ]


@pytest.mark.parametrize(
    "condition", ["'BEWARE' in said", "'Dog' in names and 'BEWARE' in said", "len(said) > 3"]
)
def test_words_are_wished_upon_what_is_shown(condition):
    (wanted,) = wished(condition, "BEWARE", ["Dog"])
    assert (wanted.api, wanted.reading, wanted.upon) == (TEXT, "BEWARE", "Dog")


def test_words_alone_are_wished_upon_nothing():
    (wanted,) = wished("'BEWARE' in said", "BEWARE", [])
    assert (wanted.reading, wanted.upon) == ("BEWARE", None)


def test_condition_on_what_is_shown_is_not_judged_by_words():
    assert wished("'Dog' in names", "BEWARE", ["Dog"]) == []
