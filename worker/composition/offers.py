"""Inferred annotations under which something was caught: to be applied with a button, or read."""

from __future__ import annotations

from analyzers.vocabulary import Suggestion
from worker.composition.placement import Diff, OnLines
from worker.composition.suggestions import appliable, lines_of
from worker.report.markdown import offers_text
from worker.report.stored import StoredFinding
from worker.report.valid_inputs import OFFERED, Offer, offers_of
from worker.report.wording import suggested

MOST_LINES = 20
BUTTON = f"{OFFERED}; they change nothing but what is tested:"


def offer_with_button(finding: StoredFinding, diff: Diff, text: str) -> tuple[OnLines, str] | None:
    """Where the annotations can be put above the function with a button, and that as Markdown.

    The remark goes from the function to the line that fails, so that it stays
    on that line.  ``text`` is the head's file.  ``None`` where the pull request
    does not show those lines together, or a verified suggestion stands there.
    """
    offer = next((each for each in offers_of(finding.evidence) if each.path == finding.path), None)
    if offer is None or suggested(finding) is not None:
        return None
    first, last = offer.line, finding.end_line
    if not first <= last < first + MOST_LINES or not diff.replaceable(offer.path, first, last):
        return None
    block = _block(offer, last, text)
    place = diff.place(offer.path, first, last, text)
    if block is None or not isinstance(place, OnLines):
        return None
    return place, f"{BUTTON}\n\n{block}"


def _block(offer: Offer, last: int, text: str) -> str | None:
    """The lines as they are, with the annotations before the first."""
    kept = [line.rstrip("\r\n") for line in lines_of(text)[offer.line - 1 : last]]
    whole = "\n".join([*offer.lines, *kept])
    return appliable(Suggestion(offer.path, offer.line, last, whole), text)


def offer_to_read(finding: StoredFinding) -> str:
    """The annotations for any other place; empty where there are none, or a suggestion."""
    return "" if suggested(finding) is not None else offers_text(finding)
