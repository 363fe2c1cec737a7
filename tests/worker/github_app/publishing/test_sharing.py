"""What a check run says of a commit that several pull requests share."""

import pytest

from worker.github_app.publishing.check_runs import MAX_TEXT_BYTES, CheckRunOutput
from worker.github_app.publishing.related_runs import PASSING, hold_back
from worker.store.conclusions import CheckConclusion

FAILURE, OUTAGE = CheckConclusion.FAILURE, CheckConclusion.ACTION_REQUIRED


@pytest.mark.parametrize("own", sorted(PASSING))
@pytest.mark.parametrize("other", [FAILURE, OUTAGE])
def test_nothing_passes_that_another_pull_request_holds_back(own, other):
    said = hold_back(CheckRunOutput(own, "Fine", "All is well."), {7: other, 8: own})
    assert said.conclusion is other
    assert "7" in said.title
    assert said.summary.endswith("All is well.")


def test_the_gravest_answer_stands():
    said = hold_back(CheckRunOutput(CheckConclusion.SUCCESS, "", ""), {7: OUTAGE, 8: FAILURE})
    assert said.conclusion is FAILURE


@pytest.mark.parametrize("own", [FAILURE, OUTAGE, CheckConclusion.CANCELLED])
def test_what_does_not_pass_says_its_own(own):
    output = CheckRunOutput(own, "Ours", "Ours.")
    said = hold_back(output, {7: CheckConclusion.SUCCESS})
    assert said == output


def test_summary_stays_within_its_bytes():
    full = CheckRunOutput(CheckConclusion.SUCCESS, "", "é" * (MAX_TEXT_BYTES // 2))
    assert len(hold_back(full, {7: FAILURE}).summary.encode()) <= MAX_TEXT_BYTES
