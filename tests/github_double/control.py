"""A door for other processes: the double's own calls, as JSON, under ``/_double/``."""

from __future__ import annotations

import dataclasses
import json
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tests.github_double.hooks import Delivery
from tests.github_double.responses import Answer
from tests.github_double.service import Request
from tests.github_double.state import CheckRun, Logged

if TYPE_CHECKING:
    from tests.github_double.double import GithubDouble


class Control:
    """``POST /_double/<name>`` with JSON arguments, ``GET /_double/summary``."""

    def __init__(self, double: GithubDouble) -> None:
        self._double = double
        self._calls = {
            "settings": double.settings,
            "install": lambda login: double.install(login).id,
            "repository": self._repository,
            "commit": lambda repo, branch, files, **more: double.find(repo).commit(
                branch, files, **more
            ),
            "pull": self._pull,
            "push": lambda repo, number, files, **more: double.pull(repo, number).push(
                files, **more
            ),
            "comment": lambda repo, number, user, body: (
                double.pull(repo, number).comment(user, body).id
            ),
            "close": lambda repo, number: double.pull(repo, number).close(),
            "merge_group": lambda repo, number: double.find(repo).merge_group(
                double.pull(repo, number)
            ),
            "role": lambda repo, login, role: double.find(repo).role(login, role),
            "send_to": self._send_to,
            "hold": double.deliveries.hold,
            "taken": self._taken,
            "tried": self._tried,
            "release": self._release,
            "wait": double.deliveries.wait,
            "fault": double.faults.add,
            "random_faults": lambda share, kinds, **more: double.faults.at_random(
                share, tuple(kinds), **more
            ),
            "clear_faults": double.faults.clear,
            "limits": self._limits,
            "standing": self.standing,
            "summary": self.summary,
        }

    def answer(self, request: Request) -> Answer:
        """Make the call and answer with what it returns."""
        name = request.path.removeprefix("/_double/")
        if name not in self._calls:
            return Answer(404, {"message": f"no such call: {name}"})
        arguments = json.loads(request.body) if request.body else {}
        try:
            return Answer(200, {"result": self._calls[name](**arguments)})
        except (ValueError, KeyError, TypeError, TimeoutError) as error:
            return Answer(400, {"message": f"{type(error).__name__}: {error}"})

    def _repository(self, name: str, **more: Any) -> dict[str, Any]:
        made = self._double.repository(name, **more)
        return {"id": made.id, "full_name": made.full_name, "clone_url": made.clone_url}

    def _pull(self, repo: str, **more: Any) -> dict[str, Any]:
        made = self._double.find(repo).pull(**more)
        return {"number": made.number, "head": made.head, "base": made.base}

    def _send_to(self, url: str | None) -> None:
        self._double.deliveries.url = url

    def _release(self, seed: int | None = None, copies: int = 1) -> int:
        deliveries = self._double.deliveries
        order = deliveries.shuffled(seed) if seed is not None else None
        return len(deliveries.release(order=order, copies=copies))

    def _taken(self) -> list[dict[str, Any]]:
        """What was held, to be sent by somebody else, who tells how each try went."""
        deliveries = self._double.deliveries
        return [
            one.shape() | {"headers": deliveries.headers(one), "body": one.body.decode()}
            for one in deliveries.take()
        ]

    def _tried(self, tries: list[list[Any]]) -> None:
        """Tries of others: id of a delivery, whether it is a copy, status, at, seconds."""
        for number, copy, status, at, seconds in tries:
            self._double.deliveries.tried(number, status, at=at, seconds=seconds, copy=copy)

    def _limits(self, **changes: Any) -> None:
        for name, value in changes.items():
            if not hasattr(self._double.limits, name):
                raise ValueError(f"no such limit: {name}")
            setattr(self._double.limits, name, value)

    def standing(self) -> dict[str, int]:
        """What is unfinished: check runs, and deliveries that never reached anybody."""
        double = self._double
        with double.state.lock:
            open_runs = [r for r in double.state.runs.values() if r.status != "completed"]
        reached = {one.guid for one in double.deliveries.log if one.ok}
        missing = {one.guid for one in double.deliveries.log} - reached
        return {"unfinished": len(open_runs), "undelivered": len(missing)}

    def summary(self) -> dict[str, Any]:
        """Everything that a campaign counts at its end."""
        double = self._double
        with double.state.lock:
            return {
                "violations": [str(one) for one in double.violations],
                "refusals": [_logged(one) for one in double.refusals],
                "hasty": [_logged(one) for one in double.hasty],
                "requests": len(double.requests),
                "writes": [_logged(one) for one in double.writes],
                "spacing": min(double.spacing(), 1e9),
                "gaps": {number: _gaps(double, number) for number in double.state.installations},
                "check_runs": [_run(one) for one in double.state.runs.values()],
                "pulls": [_pull_shape(double, number) for number in double.state.pulls],
                "deliveries": [_delivery(one) for one in double.deliveries.log],
            }


def _delivery(delivery: Delivery) -> dict[str, Any]:
    """As GitHub lists it, with the exact time, and the head that it tells of."""
    exact = {"at": delivery.at, "duration": delivery.duration}
    head = None
    if delivery.event == "pull_request":
        head = delivery.payload["pull_request"]["head"]["sha"]
    return delivery.shape() | exact | {"head": head}


def _at(stamp: str | None) -> float | None:
    return None if stamp is None else datetime.fromisoformat(stamp).timestamp()


def _gaps(double: GithubDouble, installation: int) -> list[float]:
    """Seconds from the end of each write of an installation to the next one's start."""
    there = [one for one in double.writes if one.installation == installation]
    return [after.at - before.ended for before, after in pairwise(there)]


def _logged(logged: Logged) -> dict[str, Any]:
    whole = dataclasses.asdict(logged)
    del whole["body"], whole["answer"]
    return whole


def _run(run: CheckRun) -> dict[str, Any]:
    return {
        "id": run.id,
        "repository": run.repository.full_name,
        "head_sha": run.head_sha,
        "name": run.name,
        "external_id": run.external_id,
        "status": run.status,
        "conclusion": run.conclusion,
        "title": run.title,
        "annotations": len(run.annotations),
        "history": run.history,
    }


def _pull_shape(double: GithubDouble, key: tuple[int, int]) -> dict[str, Any]:
    repository = double.state.repositories[key[0]]
    pull = double.pull(repository.full_name, key[1])
    return {
        "repository": repository.full_name,
        "number": pull.number,
        "head": pull.head,
        "heads": pull.state.heads,
        "state": pull.state.issue.state,
        "comments": [{"id": c.id, "user": c.user.login, "body": c.body} for c in pull.comments()],
        "review_comments": [
            {
                "id": c.id,
                "user": c.user.login,
                "body": c.body,
                "path": c.thread.path,
                "reply": c.reply,
            }
            for c in pull.review_comments()
        ],
        "reviews": [
            {
                "id": r.id,
                "state": r.state,
                "body": r.body,
                "commit": r.commit_id,
                "at": _at(r.submitted_at),
            }
            for r in pull.reviews()
        ],
    }
