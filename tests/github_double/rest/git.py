"""Git's own objects and refs."""

from __future__ import annotations

import base64
from typing import Any

from tests.github_double.bare import GitError
from tests.github_double.incoming_request import Call, Handler
from tests.github_double.responses import Answer, RefusalError, not_found


def _shape(call: Call, name: str, sha: str) -> dict[str, Any]:
    url = call.shapes.repo_url(call.repository)
    return {
        "ref": name,
        "node_id": f"REF_{sha[:12]}",
        "url": f"{url}/git/{name}",
        "object": {"type": "commit", "sha": sha, "url": f"{url}/git/commits/{sha}"},
    }


def get_ref(call: Call) -> Answer:
    name = f"refs/{call.parts['ref']}"
    sha = call.repository.git.refs.get(name)
    if sha is None:
        raise not_found()
    return Answer(200, _shape(call, name, sha))


def create_ref(call: Call) -> Answer:
    name, sha = call.body["ref"], call.body["sha"]
    if not name.startswith("refs/") or name.count("/") < 2:
        raise RefusalError(422, f"{name} is not a valid ref name.")
    if name in call.repository.git.refs:
        raise RefusalError(422, "Reference already exists")
    if call.commit(sha) != sha:
        raise RefusalError(422, "Object does not exist")
    call.repository.git.set_ref(name, sha)
    _told(call, name, sha)
    return Answer(201, _shape(call, name, sha))


def update_ref(call: Call) -> Answer:
    name, sha = f"refs/{call.parts['ref']}", call.body["sha"]
    git = call.repository.git
    if name not in git.refs:
        raise RefusalError(422, "Reference does not exist")
    if call.commit(sha) != sha:
        raise RefusalError(422, "Object does not exist")
    if not call.body.get("force") and git.merge_base(git.refs[name], sha) != git.refs[name]:
        raise RefusalError(422, "Update is not a fast forward")
    git.set_ref(name, sha)
    _told(call, name, sha)
    return Answer(200, _shape(call, name, sha))


def _told(call: Call, name: str, sha: str) -> None:
    if name.startswith("refs/heads/"):
        call.deeds.pushed(call.repository, name.removeprefix("refs/heads/"), sha, call.user)


def delete_ref(call: Call) -> Answer:
    name = f"refs/{call.parts['ref']}"
    if name not in call.repository.git.refs:
        raise RefusalError(422, "Reference does not exist")
    call.repository.git.remove_ref(name)
    return Answer(204)


def tree(call: Call) -> Answer:
    name = call.parts["tree_sha"]
    deep = ["-r", "-t"] if "recursive" in call.query else []
    try:
        sha = call.repository.git.run("rev-parse", f"{name}^{{tree}}").decode().strip()
        out = call.repository.git.run("ls-tree", "-l", "-z", *deep, sha).decode()
    except GitError as error:
        raise not_found() from error
    url = f"{call.shapes.repo_url(call.repository)}/git"
    entries = []
    for line in filter(None, out.split("\0")):
        meta, _, path = line.partition("\t")
        mode, kind, hash_, size = meta.split()
        entry: dict[str, Any] = {
            "path": path,
            "mode": mode,
            "type": kind,
            "sha": hash_,
            "url": f"{url}/{kind}s/{hash_}",
        }
        entries.append(entry | ({"size": int(size)} if size != "-" else {}))
    return Answer(
        200, {"sha": sha, "url": f"{url}/trees/{sha}", "truncated": False, "tree": entries}
    )


def blob(call: Call) -> Answer:
    sha = call.parts["file_sha"]
    try:
        content = call.repository.git.run("cat-file", "blob", sha)
    except GitError as error:
        raise not_found() from error
    url = f"{call.shapes.repo_url(call.repository)}/git/blobs/{sha}"
    return Answer(
        200,
        {
            "sha": sha,
            "node_id": f"B_{sha[:12]}",
            "size": len(content),
            "url": url,
            "content": base64.encodebytes(content).decode(),
            "encoding": "base64",
        },
    )


HANDLERS: dict[str, Handler] = {
    "git/get-ref": get_ref,
    "git/create-ref": create_ref,
    "git/update-ref": update_ref,
    "git/delete-ref": delete_ref,
    "git/get-tree": tree,
    "git/get-blob": blob,
}
