"""Another label is verified only on inputs of the wanted one that an engine answered."""

from contextlib import closing

import pytest

from analyzers.cloud.cloud_analyzer import CloudAnalyzer
from analyzers.cloud.repairs.related_words import related
from analyzers.vocabulary import Finding
from tests.analyzers.cloud.bench import Case, FakeBench
from tests.worker.sessions import laboratory, target, tree
from worker.executor.base_target import BaseTarget
from worker.executor.confirmation import Confirmer

pytestmark = pytest.mark.skipif(not related.available(), reason="wordnet-base is absent")

SORTING = """\
def check(path):
    if "pants" in labels():
        return "dressed"
    return "unknown"
"""
HELPED = """\
def norm(word):
    return word.lower()
def check(path):
    if "pants" in [norm(word) for word in labels()]:
        return "dressed"
    return "unknown"
"""


@pytest.fixture
def confirmed(tmp_path, sessions):
    """The confirmed finding of an unknown label, with what inputs of it are answered."""

    def confirmed(source, *answers, label="pants") -> Finding:
        case = Case(source, searched=[[label], ["Sky"]], inputs={label: list(answers)})
        verdicts = CloudAnalyzer().examine(case.target, FakeBench(case))
        found = next(v for v in verdicts if isinstance(v, Finding))
        made = laboratory(tree(tmp_path / "head", app=source), tree(tmp_path / "base", app=""))
        before = BaseTarget(made, target(), ())
        with closing(before), closing(Confirmer(made, target(), before)) as confirmer:
            confirmed = confirmer.confirmed(found, ())
        assert isinstance(confirmed, Finding)
        return confirmed

    return confirmed


def test_label_that_the_inputs_have_is_verified(confirmed):
    found = confirmed(SORTING, *[["Trousers", "Blue"]] * 4)
    assert found.suggestion.verified
    assert found.suggestion.replacement == '    if "Trousers" in labels():'


def test_label_that_the_inputs_lack_is_refused(confirmed):
    found = confirmed(SORTING, *[["Jeans"]] * 4)
    assert found.suggestion is None
    assert "0 of 4 inputs that are meant for the branch take it" in found.evidence["no_repair"]


def test_label_without_inputs_is_not_verified(confirmed):
    found = confirmed(SORTING)
    assert not found.suggestion.verified
    assert "simulated answers only" in found.suggestion.unverified


def test_spelling_follows_the_helper_that_normalises(confirmed):
    found = confirmed(HELPED, *[["Trousers"]] * 4)
    assert found.suggestion.verified
    assert '"trousers" in' in found.suggestion.replacement


def test_label_is_added_as_the_api_spells_it(confirmed):
    source = SORTING.replace('"pants" in labels()', 'any("fire" in name for name in labels())')
    answers = [*[["Campfire"]] * 3, *[["Fire"]] * 9]
    found = confirmed(source, *answers, label="fire")
    assert found.rule == "cloud/low-recall"
    assert found.suggestion.verified
    assert '"Fire"' in found.suggestion.replacement
    assert found.evidence["added_labels"] == ["Fire"]


def test_answer_that_has_the_label_points_to_another_clause(confirmed):
    source = SORTING.replace('"pants" in labels()', '"Bicycle" in labels()[:1]')
    answers = [*[["Bicycle"]] * 3, *[["Vehicle", "Bicycle"]] * 9]
    found = confirmed(source, *answers, label="Bicycle")
    assert found.rule == "cloud/low-recall"
    assert found.suggestion is None
    assert "added_labels" not in found.evidence


def test_label_beyond_the_top_ones_is_not_suggested(confirmed):
    source = SORTING.replace(
        'if "pants" in labels()', 'first = labels()[:1]\n    if "Dog" in first'
    )
    answers = [*[["Dog"]] * 4, *[["Sky", "Canidae"], ["Grass", "Canidae"]] * 4]
    found = confirmed(source, *answers, label="Dog")
    assert found.rule == "cloud/low-recall"
    assert found.suggestion is None
    assert "recall_after" not in found.evidence
    assert "raises the recall" not in found.message


INDOORS = """\
def check(path):
    seen = labels()
    if "Fire" in seen and "Sky" not in seen:
        return "alarm"
    return "quiet"
"""


def test_label_beside_another_clause_is_verified(confirmed):
    answers = [*[["Fire"]] * 2, *[["Flame"]] * 10]
    found = confirmed(INDOORS, *answers, label="Fire")
    assert found.suggestion.verified
    assert found.suggestion.replacement == (
        '    if ("Fire" in seen or "Flame" in seen) and "Sky" not in seen:'
    )


def test_clause_that_keeps_the_label_away_is_named_and_no_label_offered(confirmed):
    answers = [*[["Fire"]] * 2, *[["Fire", "Sky", "Flame"]] * 10]
    found = confirmed(INDOORS, *answers, label="Fire")
    assert found.suggestion is None
    assert found.evidence["other_clause"] == {"inputs": 10, "clauses": ['"Sky" not in seen']}


@pytest.mark.parametrize("answers", [[["Clothing", "Blue"]] * 4, []])
def test_own_stem_is_offered_and_verified_on_inputs_alone(confirmed, answers):
    found = confirmed(SORTING.replace("pants", "clothes"), *answers, label="clothes")
    assert '"Clothing" in' in found.suggestion.replacement
    assert found.suggestion.verified is bool(answers)
