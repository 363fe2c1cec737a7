"""Check runs and suites, and commit statuses."""

from __future__ import annotations

from typing import Any

from tests.github_double.incoming_request import Call, Handler
from tests.github_double.responses import Answer, RefusalError, invalid, not_found
from tests.github_double.state import CheckRun, CheckSuite, Status, now

_BYTES = 65_535


def create(call: Call) -> Answer:
    sha = call.body["head_sha"]
    if call.commit(sha) != sha:
        raise RefusalError(422, f"No commit found for SHA: {sha}")
    _check(call.body)
    run = CheckRun(call.state.id(), call.deeds.suite(call.repository, sha), call.body["name"])
    run.started_at = now()
    _apply(run, call.body)
    call.deeds.check_run(run)
    return Answer(201, call.shapes.check_run(run))


def update(call: Call) -> Answer:
    """Annotations are appended; everything else replaces what was there."""
    run = _run(call)
    _check(call.body)
    was = run.status
    _apply(run, call.body)
    call.deeds.touched(run)
    if run.status == "completed" and was != "completed":
        call.deeds.completed(run)
    return Answer(200, call.shapes.check_run(run))


def _check(body: dict[str, Any]) -> None:
    if body.get("status") == "completed" and "conclusion" not in body:
        raise RefusalError(
            422,
            'Invalid request.\n\nNo subschema in "oneOf" matched.\n"conclusion" wasn\'t supplied.',
        )
    if body.get("conclusion") == "stale":
        raise invalid("CheckRun", "invalid", "conclusion")
    output = body.get("output") or {}
    for name in ("summary", "text"):
        if len((output.get(name) or "").encode()) > _BYTES:
            message = f"{name} exceeds a maximum bytesize of {_BYTES}"
            raise invalid("CheckRun", "custom", name, message)
    for annotation in output.get("annotations", []):
        if _wrong(annotation):
            raise invalid("CheckRun", "invalid", "annotations")


def _wrong(annotation: dict[str, Any]) -> bool:
    """Columns need one line, both or none of them; an end is not before its start."""
    start, end = annotation["start_line"], annotation["end_line"]
    columns = [annotation.get("start_column"), annotation.get("end_column")]
    given = [column for column in columns if column is not None]
    sizes = [(annotation.get(name) or "", 65_536) for name in ("message", "raw_details")]
    sizes.append((annotation.get("title") or "", 255))
    return bool(
        start < 1
        or end < start
        or (given and start != end)
        or len(given) == 1
        or (len(given) == 2 and given[1] < given[0])
        or any(len(text.encode()) > size for text, size in sizes)
    )


def _apply(run: CheckRun, body: dict[str, Any]) -> None:
    for name in ("name", "details_url", "external_id", "started_at", "actions"):
        if name in body:
            setattr(run, name, body[name])
    if "output" in body:
        run.output.update({k: v for k, v in body["output"].items() if k != "annotations"})
        run.annotations.extend(body["output"].get("annotations", []))
    if "status" in body:
        run.status = body["status"]
        run.conclusion = None
    if "conclusion" in body:
        run.status, run.conclusion = "completed", body["conclusion"]
    run.completed_at = None
    if run.status == "completed":
        run.completed_at = body.get("completed_at") or now()


def _run(call: Call) -> CheckRun:
    run = call.state.runs.get(call.number("check_run_id"))
    if run is None or run.repository is not call.repository:
        raise not_found()
    return run


def get(call: Call) -> Answer:
    return Answer(200, call.shapes.check_run(_run(call)))


def annotations(call: Call) -> Answer:
    run = _run(call)
    return call.page(run.annotations, lambda one: call.shapes.annotation(run, one))


def _listed(call: Call, runs: list[CheckRun]) -> Answer:
    """The newest of each name, unless all are wanted."""
    for name in ("check_name", "status"):
        if name in call.query:
            runs = [
                r
                for r in runs
                if {"check_name": r.name, "status": r.status}[name] == call.query[name]
            ]
    if call.query.get("filter", "latest") == "latest":
        runs = list({run.name: run for run in runs}.values())
    if "app_id" in call.query and call.query["app_id"] != str(call.hub.app.id):
        runs = []
    return call.page(
        list(reversed(runs)),
        call.shapes.check_run,
        lambda shown, total: {"total_count": total, "check_runs": shown},
    )


def list_for_ref(call: Call) -> Answer:
    sha = call.commit(call.parts["ref"])
    if sha is None:
        raise RefusalError(422, f"No commit found for SHA: {call.parts['ref']}")
    return _listed(call, call.state.runs_of.get((call.repository.id, sha), []))


def list_for_suite(call: Call) -> Answer:
    return _listed(call, call.shapes.suite_runs(_suite(call)))


def rerequest(call: Call) -> Answer:
    call.deeds.rerequest_run(_run(call), call.user)
    return Answer(201, {})


def _suite(call: Call) -> CheckSuite:
    suite = call.state.suites.get(call.number("check_suite_id"))
    if suite is None or suite.repository is not call.repository:
        raise not_found()
    return suite


def get_suite(call: Call) -> Answer:
    return Answer(200, call.shapes.suite(_suite(call)))


def create_suite(call: Call) -> Answer:
    sha = call.body["head_sha"]
    there = (call.repository.id, sha) in call.state.suites_of
    if call.commit(sha) != sha:
        raise RefusalError(422, f"No commit found for SHA: {sha}")
    return Answer(200 if there else 201, call.shapes.suite(call.deeds.suite(call.repository, sha)))


def suites_for_ref(call: Call) -> Answer:
    sha = call.commit(call.parts["ref"]) or ""
    found = call.state.suites_of.get((call.repository.id, sha))
    return call.page(
        [found] if found else [],
        call.shapes.suite,
        lambda shown, total: {"total_count": total, "check_suites": shown},
    )


def rerequest_suite(call: Call) -> Answer:
    call.deeds.rerequest_suite(_suite(call), call.user)
    return Answer(201, {})


def create_status(call: Call) -> Answer:
    sha = call.parts["sha"]
    if call.commit(sha) != sha:
        raise RefusalError(422, f"No commit found for SHA: {sha}")
    status = Status(
        call.state.id(),
        call.repository,
        sha,
        call.body["state"],
        call.body.get("context", "default"),
        call.body.get("description"),
        call.body.get("target_url"),
        call.user,
    )
    call.state.statuses.setdefault((call.repository.id, sha), []).insert(0, status)
    return Answer(201, call.shapes.status(status))


def _statuses(call: Call) -> list[Status]:
    sha = call.commit(call.parts["ref"])
    if sha is None:
        raise not_found()
    return call.state.statuses.get((call.repository.id, sha), [])


def statuses(call: Call) -> Answer:
    return call.page(_statuses(call), call.shapes.status)


def combined_status(call: Call) -> Answer:
    """The newest status of each context."""
    there = _statuses(call)
    newest = list({status.context: status for status in reversed(there)}.values())
    states = {status.state for status in newest}
    worst = "failure" if states & {"failure", "error"} else "pending"
    sha = call.commit(call.parts["ref"])
    url = f"{call.shapes.repo_url(call.repository)}/commits/{sha}"
    return Answer(
        200,
        {
            "state": "success" if states == {"success"} else worst,
            "statuses": [call.shapes.simple_status(status) for status in newest],
            "sha": sha,
            "total_count": len(newest),
            "repository": call.shapes.repository(call.repository),
            "commit_url": url,
            "url": f"{url}/status",
        },
    )


HANDLERS: dict[str, Handler] = {
    "checks/create": create,
    "checks/update": update,
    "checks/get": get,
    "checks/list-annotations": annotations,
    "checks/list-for-ref": list_for_ref,
    "checks/list-for-suite": list_for_suite,
    "checks/rerequest-run": rerequest,
    "checks/get-suite": get_suite,
    "checks/create-suite": create_suite,
    "checks/list-suites-for-ref": suites_for_ref,
    "checks/rerequest-suite": rerequest_suite,
    "repos/create-commit-status": create_status,
    "repos/list-commit-statuses-for-ref": statuses,
    "repos/get-combined-status-for-ref": combined_status,
}
