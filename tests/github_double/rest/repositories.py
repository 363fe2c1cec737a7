"""Repositories, their commits and files, and who may do what."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote

from tests.github_double.incoming_request import Call, Handler
from tests.github_double.responses import Answer, RefusalError, not_found
from tests.github_double.state import Account, Repository

_COARSE = {"triage": "read", "maintain": "write"}


def get(call: Call) -> Answer:
    return Answer(200, call.shapes.full_repository(call.repository))


def role_of(repository: Repository, account: Account | None) -> str:
    """Somebody's role; everybody reads what is public."""
    given = repository.roles.get(account.login.lower(), "none") if account else "none"
    return "read" if given == "none" and not repository.private else given


def permission(call: Call) -> Answer:
    account = call.state.accounts.get(call.parts["username"].lower())
    if account is None:
        raise not_found()
    role = role_of(call.repository, account)
    order = ("pull", "triage", "push", "maintain", "admin")
    reached = {"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}[role]
    return Answer(
        200,
        {
            "permission": _COARSE.get(role, role),
            "role_name": role,
            "user": call.shapes.user(account)
            | {
                "permissions": {name: at < reached for at, name in enumerate(order)},
                "role_name": role,
            },
        },
    )


def _at(call: Call, name: str | None) -> str:
    found = call.commit(name or call.repository.default_branch)
    if found is None:
        raise RefusalError(404, f"No commit found for the ref {name}")
    return found


def content(call: Call) -> Answer:
    sha = _at(call, call.query.get("ref"))
    path = call.parts["path"].strip("/")
    blob = call.repository.git.show(sha, path)
    if blob is None:
        return _folder(call, sha, path)
    if call.accept.endswith(("raw", "raw+json")):
        return Answer(200, blob, kind="application/vnd.github.raw+json; charset=utf-8")
    hash_ = call.repository.git.run("rev-parse", f"{sha}:{path}").decode().strip()
    whole = _entry(call, sha, path, "file", hash_, len(blob))
    encoded = base64.encodebytes(blob).decode() if len(blob) <= 1_000_000 else ""
    return Answer(
        200, whole | {"encoding": "base64" if encoded or not blob else "none", "content": encoded}
    )


def _folder(call: Call, sha: str, path: str) -> Answer:
    out = call.repository.git.run("ls-tree", "-l", "-z", sha, f"{path}/" if path else ".").decode()
    found = []
    for line in filter(None, out.split("\0")):
        meta, _, name = line.partition("\t")
        _, kind, hash_, size = meta.split()
        where = "dir" if kind == "tree" else "file"
        found.append(_entry(call, sha, name, where, hash_, 0 if size == "-" else int(size)))
    if not found:
        raise not_found()
    return Answer(200, found)


def _entry(call: Call, sha: str, path: str, kind: str, hash_: str, size: int) -> dict[str, Any]:
    repository, where = call.repository, quote(path)
    url = f"{call.shapes.repo_url(repository)}/contents/{where}?ref={sha}"
    page = f"{call.shapes.web}/{repository.full_name}/blob/{sha}/{where}"
    blob = f"{call.shapes.repo_url(repository)}/git/blobs/{hash_}"
    raw = f"{call.shapes.web}/{repository.full_name}/raw/{sha}/{where}"
    return {
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": hash_,
        "size": size,
        "url": url,
        "html_url": page,
        "git_url": blob,
        "download_url": raw if kind == "file" else None,
        "type": kind,
        "_links": {"self": url, "git": blob, "html": page},
    }


def compare(call: Call) -> Answer:
    base_name, dots, head_name = call.parts["basehead"].partition("...")
    if not dots:
        raise not_found()
    git = call.repository.git
    base, head = _other(call, base_name), _other(call, head_name)
    merge_base = git.merge_base(base, head)
    if merge_base is None:
        raise RefusalError(404, f"No common ancestor between {base_name} and {head_name}.")
    ahead = int(git.run("rev-list", "--count", f"{base}..{head}"))
    behind = int(git.run("rev-list", "--count", f"{head}..{base}"))
    status = {(False, False): "identical", (True, False): "ahead", (False, True): "behind"}
    url = f"{call.shapes.repo_url(call.repository)}/compare/{base_name}...{head_name}"
    page = f"{call.shapes.web}/{call.repository.full_name}/compare/{base_name}...{head_name}"
    whole = {
        "url": url,
        "html_url": page,
        "permalink_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "base_commit": call.shapes.commit(call.repository, git.entry(base)),
        "merge_base_commit": call.shapes.commit(call.repository, git.entry(merge_base)),
        "status": status.get((bool(ahead), bool(behind)), "diverged"),
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "files": [
            call.shapes.file(call.repository, head, file)
            for file in git.diff(merge_base, head)[:300]
        ],
    }
    commits = git.log((f"{base}..{head}",), 10_000)
    return call.page(
        commits,
        lambda entry: call.shapes.commit(call.repository, entry),
        lambda shown, _total: whole | {"commits": shown},
    )


def _other(call: Call, name: str) -> str:
    """A commit of this repository, or of a fork as ``owner:branch``."""
    owner, colon, ref = name.partition(":")
    if not colon or owner.lower() == call.repository.owner.login.lower():
        return _at(call, ref or name)
    for fork in call.state.repositories.values():
        if fork.parent is call.repository and fork.owner.login.lower() == owner.lower():
            sha = fork.git.resolve(ref)
            if sha:
                call.repository.git.fetch(fork.git, sha, f"refs/compared/{sha}")
                return sha
    raise not_found()


def branch(call: Call) -> Answer:
    sha = call.repository.git.head(call.parts["branch"])
    if sha is None:
        raise RefusalError(404, "Branch not found")
    return Answer(200, call.shapes.branch(call.repository, call.parts["branch"], sha))


def commits(call: Call) -> Answer:
    sha = call.commit(call.query.get("sha") or call.repository.default_branch)
    if sha is None:
        raise not_found()
    newest_first = list(reversed(call.repository.git.log((sha,), 10_000)))
    return call.page(newest_first, lambda entry: call.shapes.commit(call.repository, entry))


def commit(call: Call) -> Answer:
    name = call.parts["ref"]
    sha = call.commit(name)
    if sha is None:
        raise RefusalError(422, f"No commit found for SHA: {name}")
    git = call.repository.git
    entry = git.entry(sha)
    parent = entry["parents"].split()[:1] or ["4b825dc642cb6eb9a060e54bf8d69288fbee4904"]
    files = git.diff(parent[0], sha)
    if call.accept.endswith(("diff", "patch")):
        return Answer(
            200, "".join(file.raw for file in files), kind=f"{call.accept}; charset=utf-8"
        )
    added, removed = sum(f.additions for f in files), sum(f.deletions for f in files)
    stats = {"additions": added, "deletions": removed, "total": added + removed}
    shape = call.shapes.commit(call.repository, entry)
    return call.page(
        files,
        lambda file: call.shapes.file(call.repository, sha, file),
        lambda shown, _total: shape | {"stats": stats, "files": shown},
    )


HANDLERS: dict[str, Handler] = {
    "repos/get": get,
    "repos/get-collaborator-permission-level": permission,
    "repos/get-content": content,
    "repos/compare-commits-with-basehead": compare,
    "repos/get-branch": branch,
    "repos/list-commits": commits,
    "repos/get-commit": commit,
}
