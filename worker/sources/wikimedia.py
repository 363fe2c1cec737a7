"""Wikimedia's Action API: how it is asked, and what its policy wants.

https://www.mediawiki.org/wiki/API:Search, API:Etiquette and
https://meta.wikimedia.org/wiki/User-Agent_policy: one question after another,
and a User-Agent with an address to write to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from analyzers.vocabulary import JsonObject
from worker.engines import Outage
from worker.engines.http import USER_AGENT
from worker.sources.search import Entry, Question, objects

PATH = "/w/api.php"


def search_question(
    words: str, offset: int, size: int, contact: str | None, **more: str
) -> Question:
    """The best matches with their properties ``more``, from ``offset`` on."""
    parameters = {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "generator": "search",
        "gsrsearch": words,
        "gsrlimit": str(size),
        **more,
    }
    if offset:
        parameters["gsroffset"] = str(offset)
    agent = f"{USER_AGENT[:-1]}; {contact})" if contact else USER_AGENT
    return Question(PATH, parameters, {"user-agent": agent})


def pages(answer: JsonObject, name: str) -> object:
    """The pages that were found, the best first; none where the search found none.

    Raises:
        Outage: the service says that it failed.

    """
    error = answer.get("error")
    if error is not None:
        code = cast("Entry", error).get("code") if isinstance(error, Mapping) else error
        raise Outage(f"{name} gave no answer: {str(code)[:100]}")
    query = answer.get("query")
    if query is None and "batchcomplete" in answer:
        return []
    found = cast("Entry", query).get("pages") if isinstance(query, Mapping) else None
    return sorted(objects(found), key=_rank) if isinstance(found, list) else None


def _rank(page: Entry) -> int:
    rank = page.get("index")
    return rank if isinstance(rank, int) else len(page) + 1_000_000
