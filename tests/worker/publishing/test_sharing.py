"""What a check run says of a commit that several pull requests share."""

import pytest

from worker.composition.check_output import LARGEST_TEXT, CheckOutput
from worker.composition.conclusion import CheckConclusion
from worker.publishing.sharing import PASSING, held_back

FAILURE, OUTAGE = CheckConclusion.FAILURE, CheckConclusion.ACTION_REQUIRED


@pytest.mark.parametrize("own", sorted(PASSING))
@pytest.mark.parametrize("other", [FAILURE, OUTAGE])
def test_nothing_passes_that_another_pull_request_holds_back(own, other):
    said = held_back(CheckOutput(own, "Fine", "All is well."), {7: other, 8: own})
    assert said.conclusion is other
    assert "7" in said.title
    assert said.summary.endswith("All is well.")


def test_the_gravest_answer_stands():
    said = held_back(CheckOutput(CheckConclusion.SUCCESS, "", ""), {7: OUTAGE, 8: FAILURE})
    assert said.conclusion is FAILURE


@pytest.mark.parametrize("own", [FAILURE, OUTAGE, CheckConclusion.CANCELLED])
def test_what_does_not_pass_says_its_own(own):
    output = CheckOutput(own, "Ours", "Ours.")
    said = held_back(output, {7: CheckConclusion.SUCCESS})
    assert said == output


def test_summary_stays_within_its_bytes():
    full = CheckOutput(CheckConclusion.SUCCESS, "", "é" * (LARGEST_TEXT // 2))
    assert len(held_back(full, {7: FAILURE}).summary.encode()) <= LARGEST_TEXT
