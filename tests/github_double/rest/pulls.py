"""Pull requests, their files and commits."""

from __future__ import annotations

from tests.github_double import anchors
from tests.github_double.diffs import FileDiff
from tests.github_double.incoming_request import Call, Handler
from tests.github_double.responses import Answer, RefusalError
from tests.github_double.state import Pull


def listed(call: Call) -> Answer:
    there = [p for p in call.state.pulls.values() if p.repository is call.repository]
    wanted = call.query.get("state", "open")
    there = [pull for pull in there if wanted in {"all", pull.issue.state}]
    if "head" in call.query:
        there = [p for p in there if f"{p.head_owner.login}:{p.head_ref}" == call.query["head"]]
    if "base" in call.query:
        there = [pull for pull in there if pull.base_ref == call.query["base"]]
    return call.page(sorted(there, key=lambda p: -p.number), call.shapes.pull_simple)


def get(call: Call) -> Answer:
    pull = call.pull()
    if call.accept.endswith(("diff", "patch")):
        return _diff(call, pull)
    return Answer(200, call.shapes.pull(pull))


def _diff(call: Call, pull: Pull) -> Answer:
    """The whole diff; over 300 files or 20,000 lines it is refused."""
    files = anchors.files(pull)
    limits = call.hub.limits
    lines = sum(file.raw.count("\n") for file in files)
    if len(files) > limits.diff_files:
        raise _too_large(
            f"Sorry, the diff exceeded the maximum number of files ({limits.diff_files}). Consider "
            "using 'List pull requests files' API or locally cloning the repository instead."
        )
    if lines > limits.diff_lines:
        raise _too_large(
            f"Sorry, the diff exceeded the maximum number of lines ({limits.diff_lines})"
        )
    return Answer(200, "".join(file.raw for file in files), kind=f"{call.accept}; charset=utf-8")


def _too_large(message: str) -> RefusalError:
    error = {"resource": "PullRequest", "field": "diff", "code": "too_large"}
    return RefusalError(406, message, [error])


def files(call: Call) -> Answer:
    """At most 3,000 files; large and binary ones, and those after too many lines, lack a patch."""
    pull = call.pull()
    there = anchors.files(pull)[: call.hub.limits.files]
    whole = _with_patches(call, there)
    return call.page(
        there,
        lambda file: call.shapes.file(
            pull.repository, pull.head_sha, file, patch=file.path in whole
        ),
    )


def _with_patches(call: Call, there: tuple[FileDiff, ...]) -> set[str]:
    limits, lines, shown = call.hub.limits, 0, set()
    for file in there:
        lines += file.additions + file.deletions
        small = len((file.patch or "").encode()) <= limits.patch_bytes
        if small and lines <= limits.patch_lines and file.path not in call.hub.without_patch:
            shown.add(file.path)
    return shown


def commits(call: Call) -> Answer:
    pull = call.pull()
    there = pull.repository.git.log((f"{anchors.base_of(pull)}..{pull.head_sha}",))
    return call.page(
        there[: call.hub.limits.commits], lambda entry: call.shapes.commit(pull.repository, entry)
    )


def of_commit(call: Call) -> Answer:
    """Pull requests whose head lies in this repository and that hold a commit.

    Those of forks are found by asking the fork only
    (TooTallNate/nx.js#410, HypothesisWorks/hypothesis#4840).
    """
    sha = call.commit(call.parts["commit_sha"])
    if sha is None:
        raise RefusalError(422, f"No commit found for SHA: {call.parts['commit_sha']}")
    there = [
        pull
        for pull in call.state.pulls.values()
        if pull.head_repository is call.repository and _holds(pull, sha)
    ]
    return call.page(there, call.shapes.pull_simple)


def _holds(pull: Pull, sha: str) -> bool:
    git = pull.repository.git
    return sha == pull.head_sha or (sha in pull.heads and git.merge_base(sha, pull.head_sha) == sha)


HANDLERS: dict[str, Handler] = {
    "pulls/list": listed,
    "pulls/get": get,
    "pulls/list-files": files,
    "pulls/list-commits": commits,
    "repos/list-pull-requests-associated-with-commit": of_commit,
}
