"""Everything that the App writes at GitHub, beside what reports say of findings.

Nothing of a pull request's stands in it unescaped.
"""

from __future__ import annotations

from datetime import date

from worker.github_app.command_grammar import SLASH_COMMANDS, Unknown, usage
from worker.report import report_messages
from worker.report.markdown_escape import code, plain
from worker.store.records import RunRecord, RunState

# ------------------------------------------------------------------ check runs

WAITING = ("Waits for its turn", "The change will be tested as soon as a worker is free.")
TESTING = ("Testing", "The change is being tested.")
NOT_TESTED = "Not tested: something has to be corrected first"
STOPPED = "nobody waits for it any more"
SUPERSEDED = "a newer commit or run has taken its place"


def refused_run(error: str, page: str | None) -> str:
    """Return what has to be corrected before a change can be tested."""
    where = f" [Its page]({page})." if page else ""
    return (
        "### Assayer: not tested, something has to be corrected first\n\n"
        f"{plain(report_messages.clipped(error, 2_000))}\n\n"
        f"When it is corrected, push or write {code('/assayer rerun')}.{where}\n"
    )


def failed_run(incident: str, error: str | None, page: str | None) -> str:
    """Return our apology for a run that has no report; ``incident`` is its id."""
    where = f" [What is known of it]({page})." if page else ""
    why = plain(report_messages.clipped(error or "its report is lost", 2_000))
    return (
        "### Assayer: could not test this change\n\n"
        "We are sorry: this is our failure or our machine's, not yours, and it says nothing"
        f" about the change.\n\n{why}\n\n"
        f"Incident {code(incident)}.{where} Press Re-run, or write"
        f" {code('/assayer rerun')}, to try again.\n"
    )


def cancelled_run(reason: str) -> str:
    """Return why a run was cancelled."""
    return f"This run was cancelled: {plain(report_messages.clipped(reason, 2_000))}.\n"


def refused_text(page: str | None) -> str:
    """Return what a check run says whose text GitHub refused."""
    where = f"[full report]({page})" if page else "full report"
    return f"GitHub did not take what there is to say. It is in the {where}."


def remaining(number: int, page: str | None) -> str:
    """Return a note on findings for which there is no room."""
    where = f"[full report]({page})" if page else "full report"
    return f"_{report_messages.counted(number, 'more finding')} in the {where}._\n"


def held_back(number: int) -> tuple[str, str]:
    """Return title and first paragraph of a check run whose commit another pull request has."""
    return (
        f"Held back by pull request {number}, which has the same commit",
        f"Pull request {number} has the same commit, and GitHub keeps one answer for"
        " both: that one's stands. Of this pull request alone there is to say:\n\n",
    )


# -------------------------------------------------------------------- comments

REVIEW = "Assayer ran the changed code and saw this:"
"""GitHub wants a word above a review's comments."""
GONE = "This is gone: the last run did not find it any more."
MOVED = "This is told anew on the lines where it stands now."
EXISTING = "This counts as existing and blocks nothing."
NOTHING_TO_DO = "Nothing is left to do here."
FIXED = "Fixed since the last push:"
UNNEEDED = "No longer needed, since these findings did not come again:"
AUDIT_TITLE = "Assayer: what the audit of the default branch finds"


def ignored_finding(until: object) -> str:
    """Return why an ignored finding need not be told on its lines."""
    end = f" until {plain(str(until))}" if until else ""
    return f"This is ignored{end} and blocks nothing."


# -------------------------------------------------------------------- commands

HELP = "\n".join(
    [
        "| write | to |",
        "|---|---|",
        *(f"| `{usage(verb)}` | {each.purpose} |" for verb, each in SLASH_COMMANDS.items()),
        "",
        "Write one command per line, outside code and quotes. People with write access may use all"
        " of them, unless the repository's configuration says otherwise; the author of the pull"
        " request may use "
        + ", ".join(f"`{verb}`" for verb, each in SLASH_COMMANDS.items() if each.author)
        + ".",
    ]
)

FORBIDDEN = "You may not do this here."
NARROWED = (
    "Only people with write access may test with fewer inputs than the repository asks for,"
    " or choose a seed."
)
TOO_MANY = "Enough runs are under way here: ask again when one of them is over."
CLOSED = "The pull request is closed: there is nothing to run."
NOT_FOUND = "No run of this pull request found anything with the fingerprint {}."
NOTHING_RUNS = "Nothing runs for this pull request."
NOT_IGNORED = "{} was not ignored."
PAST = "The date {} has passed: `until` must be a future date."
APPROVED = "Approved: {} may ask paid engines. It is tested again now."
OTHER_HEAD = "The head is {} by now: look at it, then approve it by `/assayer approve {}`."
NOT_A_FORK = "This is no fork's code: it needs no approval."
NO_SUGGESTION = "No verified suggestion is available."
MOVED_ON = (
    "The pull request has moved on since this was tested: `/assayer rerun`, or wait for its check."
)
FORK_GONE = "The branch's repository is gone: nothing can be committed to it."
NO_EDITS = (
    "The fork does not let maintainers edit its branch: its author can apply the suggestion,"
    ' or tick "Allow edits by maintainers".'
)
NO_CONTENTS = (
    "The App may not push here: it lacks `contents: write`, which the repository's owner can grant."
)

NO_ROOM = "There is more to say than fits into a comment: ask for one thing at a time."
UNDONE = "We are sorry: this could not be done, which is our failure (incident {})."

_CONCLUSIONS = {
    "success": "no new findings",
    "neutral": "nothing blocks",
    "failure": "a new finding blocks",
    "skipped": "no ML call that Assayer knows in the change",
    "action_required": "could not decide; the check run says why",
}


def unknown(command: Unknown) -> str:
    """Return why a line is no command, and where help is."""
    return f"{command.problem[:1].upper()}{command.problem[1:]}. See `/assayer help`."


def rerunning(run: RunRecord | None, page: str | None) -> str:
    """Return that a run has begun."""
    if run is None:
        return "This was asked for, and stopped since."
    head = (run.job.head or "")[:7]
    return f"Testing {code(head)} again{_linked(page)}."


def nowhere(target: str, head: str) -> str:
    """Return that a target names no function, so that nothing was started."""
    function, commit = code(target), code(head[:7])
    return f"Nothing was started: {function} is no function at {commit}."


def reran(run: RunRecord, conclusion: str | None, page: str | None) -> str:
    """Return how a run ended; ``conclusion`` is its check run's, where that is known."""
    if run.state is RunState.CANCELLED:
        return f"It was not tested: {plain(run.error or 'it was stopped')}."
    return f"Done: {_CONCLUSIONS.get(conclusion or '', 'see there')}{_linked(page)}."


def now_ignored(fingerprint: str, until: date | None) -> str:
    """Return that a finding is ignored from now on."""
    end = "" if until is None else f" until {until.isoformat()}"
    return f"{code(fingerprint)} is ignored{end}; `/assayer unignore` undoes it."


def counts_again(fingerprint: str) -> str:
    """Return that a finding is reported again."""
    return f"{code(fingerprint)} counts again."


def stopped(number: int) -> str:
    """Return how many runs were ended."""
    return "Stopped one run." if number == 1 else f"Stopped {number} runs."


def does_not_fit(problem: str) -> str:
    """Return why a suggestion cannot be put in place."""
    return f"Nothing was committed: {plain(problem)}."


def refused_push(problem: str) -> str:
    """Return that GitHub did not take a push; ``problem`` is what it said."""
    return f"GitHub refused the push: {code(problem[-400:])}"


def applied(commit: str, number: int) -> str:
    """Return that suggestions are on the branch."""
    what = "the suggestion" if number == 1 else f"{number} suggestions"
    return f"Committed {what} as {commit}."


def _linked(page: str | None) -> str:
    return "" if page is None else f" ([page]({page}))"
