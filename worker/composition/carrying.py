"""What a rerun of a part of a change takes over from the run of all of it.

Otherwise testing one harmless function again would let the rest pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worker.composition.amending import counts, fails
from worker.composition.conclusion import tested_throughout
from worker.report.appendix import one_each
from worker.store.records import Options

NO_WHOLE = "only a part was tested again, and no report of the whole change is kept"

Document = Mapping[str, Any]
Item = Mapping[str, Any]


def is_partial(options: Options) -> bool:
    """Whether a run was asked for a part of what the change touches."""
    return options.target is not None or options.analyzer is not None


def carried(document: Document, whole: Document | None, options: Options) -> Document:
    """Return a rerun's document with what it did not test again, as it was.

    ``whole`` is the report of the last run of the same commit that tested
    everything; without one nothing is known of the rest, and it cannot pass.
    """
    if not is_partial(options):
        return document
    if whole is None:
        unknown = {"analyzer": "assayer", "target": "", "error": NO_WHOLE}
        return {**document, "partial": True, "broken": [*document["broken"], unknown]}
    judged = {
        name: [*document[name], *(item for item in whole[name] if _is_left(item, options))]
        for name in ("findings", "skipped", "broken")
    }
    appendix = _together(document, whole, options)
    tested = {target["id"] for target in document["targets"]}
    targets = [
        *document["targets"],
        *(target for target in whole["targets"] if target["id"] not in tested),
    ]
    merged = {
        **document,
        **judged,
        "appendix": appendix,
        "targets": targets,
        "partial": _is(document, whole),
    }
    return {**merged, "verdict": _verdict(document, whole, merged)}


def _together(document: Document, whole: Document, options: Options) -> list[Item]:
    """The appendix of both; reports of before had none."""
    left = (item for item in whole.get("appendix", ()) if _is_left(item, options))
    return one_each([*document.get("appendix", ()), *left])


def _is_left(item: Item, options: Options) -> bool:
    """Whether the rerun did not look at what an entry is about."""
    other_target = options.target is not None and item["target"] != options.target
    other_analyzer = options.analyzer is not None and item["analyzer"] != options.analyzer
    return other_target or other_analyzer


def _is(document: Document, whole: Document) -> bool:
    return bool(document.get("partial") or whole.get("partial"))


def _verdict(document: Document, whole: Document, merged: Document) -> str:
    """The gravest verdict that what is left of both still gives a reason for."""
    verdicts = {document["verdict"], whole["verdict"]}
    found = merged["findings"]
    if "failure" in verdicts and any(map(fails, found)):
        return "failure"
    if merged["broken"] or any(item.get("our_fault") for item in merged["skipped"]):
        return "error"
    if any(map(counts, found)) or (verdicts & {"failure", "neutral"} and merged["skipped"]):
        return "neutral"
    if merged["targets"] and not tested_throughout(merged):
        return "neutral"
    return "skipped" if verdicts == {"skipped"} else "success"
