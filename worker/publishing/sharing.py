"""One commit that is the head of several pull requests.

GitHub looks at the newest check run of a commit alone, whichever pull request
it is about.  So no answer may let a commit pass that another open pull
request's answer holds back: whoever opens a second pull request against an
easier branch would get the first one merged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from worker.composition.check_output import LARGEST_TEXT, CheckOutput
from worker.composition.conclusion import CheckConclusion
from worker.report.markdown import size
from worker.store import Errand, ErrandKind, ErrandRecord, RunRecord, RunState
from worker.store.books import Books
from worker.store.lanes import lane_of

PASSING = frozenset({CheckConclusion.SUCCESS, CheckConclusion.NEUTRAL, CheckConclusion.SKIPPED})
_BLOCKING = (CheckConclusion.FAILURE, CheckConclusion.ACTION_REQUIRED)
_BESIDE = ":beside:"


def others_of(run: RunRecord, books: Books) -> tuple[RunRecord, ...]:
    """Return the newest run of each other open pull request with this head."""
    job = run.job
    if job.pull is None or job.repository_id is None or job.head is None:
        return ()
    pulls = books.pulls.with_head(job.repository_id, job.head)
    standing = {pull.number for pull in pulls if pull.open} - {job.pull}
    newest: dict[int, RunRecord] = {}
    for other in books.runs.of_head(job.repository_id, job.head):
        if other.job.pull in standing and other.state is not RunState.CANCELLED:
            newest.setdefault(other.job.pull, other)
    return tuple(newest.values())


def held_back(output: CheckOutput, others: Mapping[int, CheckConclusion]) -> CheckOutput:
    """Return what a check run says, given how those of ``others`` (pull requests) conclude."""
    if output.conclusion in _BLOCKING:
        return output
    for conclusion in _BLOCKING:
        for number in sorted(n for n, other in others.items() if other is conclusion):
            said = (
                f"Pull request {number} has the same commit, and GitHub keeps one answer for"
                " both: that one's stands. Of this pull request alone there is to say:\n\n"
            )
            title = f"Held back by pull request {number}, which has the same commit"
            whole = said + output.summary
            summary = whole if size(whole) <= LARGEST_TEXT else said + "_more than fits here_\n"
            return replace(output, conclusion=conclusion, title=title, summary=summary)
    return output


def tell_others_again(errand: ErrandRecord, run: RunRecord, books: Books) -> None:
    """Ask for what the others say to be told anew; one that was asked for so asks no more."""
    if _BESIDE in errand.errand.key:
        return
    for other in others_of(run, books):
        if other.state.over and other.job.installation is not None:
            key = f"publish:{other.id}{_BESIDE}{errand.id}"
            lane = lane_of(other.job)
            books.errands.add(
                Errand(ErrandKind.PUBLISH, other.job.installation, lane, key, run=other.id)
            )
