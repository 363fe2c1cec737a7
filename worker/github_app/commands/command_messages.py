"""What we answer to commands: short, and with nothing of the pull request's in it unescaped."""

from __future__ import annotations

from datetime import date

from worker.github_app.command_grammar import SLASH_COMMANDS, Unknown, usage
from worker.report import markdown_escape
from worker.store.records import RunRecord, RunState

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
PAST = "The date {} has passed: an ignore ends in the future."
APPROVED = "Approved: {} may ask paid engines. It is tested again now."
OTHER_HEAD = "The head is {} by now: look at it, then approve it by `/assayer approve {}`."
NOT_A_FORK = "This is no fork's code: it needs no approval."
NO_SUGGESTION = "There is no suggestion that was tried and helps."
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
    "skipped": "the change touches no ML code",
    "action_required": "could not decide; the check run says why",
}


def unknown(command: Unknown) -> str:
    """Why something is no command, and where help is."""
    return f"{command.problem[:1].upper()}{command.problem[1:]}. See `/assayer help`."


def rerunning(run: RunRecord | None, page: str | None) -> str:
    """A run has begun."""
    if run is None:
        return "This was asked for, and stopped since."
    head = (run.job.head or "")[:7]
    return f"Testing {markdown_escape.code(head)} again{_linked(page)}."


def nowhere(target: str, head: str) -> str:
    """Say that a target names no function, so that nothing was started."""
    function, commit = markdown_escape.code(target), markdown_escape.code(head[:7])
    return f"Nothing was started: {function} is no function at {commit}."


def reran(run: RunRecord, conclusion: str | None, page: str | None) -> str:
    """A run is over; ``conclusion`` is its check run's, where that is known."""
    if run.state is RunState.CANCELLED:
        return f"It was not tested: {markdown_escape.plain(run.error or 'it was stopped')}."
    return f"Done: {_CONCLUSIONS.get(conclusion or '', 'see there')}{_linked(page)}."


def ignored(fingerprint: str, until: date | None) -> str:
    """A finding is silent now."""
    end = "" if until is None else f" until {until.isoformat()}"
    return f"{markdown_escape.code(fingerprint)} is ignored{end}; `/assayer unignore` undoes it."


def counts_again(fingerprint: str) -> str:
    """A finding is heard of again."""
    return f"{markdown_escape.code(fingerprint)} counts again."


def stopped(number: int) -> str:
    """Runs were ended."""
    return "Stopped one run." if number == 1 else f"Stopped {number} runs."


def does_not_fit(problem: str) -> str:
    """A suggestion that cannot be put in place."""
    return f"Nothing was committed: {markdown_escape.plain(problem)}."


def refused(problem: str) -> str:
    """GitHub did not take a push; ``problem`` is what it said."""
    return f"GitHub refused the push: {markdown_escape.code(problem[-400:])}"


def applied(commit: str, number: int) -> str:
    """Suggestions are on the branch."""
    what = "the suggestion" if number == 1 else f"{number} suggestions"
    return f"Committed {what} as {commit}."


def _linked(page: str | None) -> str:
    return "" if page is None else f" ([page]({page}))"
