"""Clones from a real git server, and from servers that mean harm."""

import base64
import os
import subprocess
import sys
import tempfile
import threading
import time

import pytest

from tests.worker.changes.conftest import Project
from tests.worker.changes.git_server import GitServer, git_commands
from tests.worker.changes.test_hostile_trees import blob, commit_of, tree_of
from worker.changes import remote_clone
from worker.changes.change_set import read_changes
from worker.changes.remote_clone import FetchBounds, RemoteOrigin, clone
from worker.changes.tree_writer import materialise
from worker.errors import MachineError, UsageError
from worker.system.temporary_files import folder_of_all, sweep_folders

CANARY = "ghs_canary0123456789"
PKT_FLUSH = b"0000"


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A project, empty as yet, and its server."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    project = Project(tmp_path / "served" / "project")
    server = GitServer(tmp_path / "served")
    yield project, server
    server.close()


@pytest.fixture
def branched(served):
    project, server = served
    project.write("data/large.bin", os.urandom(300_000))
    project.commit(old="o = 1\n")
    project.git("rm", "--quiet", "-r", "data")
    parted = project.commit(app="a = 1\n")
    base = more_commits(project, parted, 100)
    project.git("switch", "--quiet", "--detach", parted)
    head = project.commit(app="a = 2\n")
    return server, base, head, parted


def more_commits(project, parent: str, count: int) -> str:
    """Commits on ``main``, each of which changes one file."""
    stream = "".join(
        f"commit refs/heads/main\ncommitter a <a@example.org> {number} +0000\ndata 1\nx\n"
        + (f"from {parent}\n" if number == 0 else "")
        + f"M 644 inline other.py\ndata 4\n{number:04d}\n"
        for number in range(count)
    )
    project.git("fast-import", "--quiet", "--force", stdin=stream.encode())
    return project.git("rev-parse", "main")


def origin(server: GitServer, token: str | None = None, name: str = "project/.git") -> RemoteOrigin:
    return RemoteOrigin(server.url(name), token, loopback=True)


def nothing_stays(tmp_path) -> bool:
    return not (tmp_path / "clone").exists() and not list(folder_of_all().glob("*"))


def test_clone_holds_what_a_pull_request_needs(branched, tmp_path):
    server, base, head, parted = branched
    cloned = clone(origin(server), base, head, tmp_path / "clone")
    assert (cloned.base, cloned.head, cloned.merge_base) == (base, head, parted)
    changes = read_changes(cloned.folder, base=cloned.merge_base, head=cloned.head)
    assert [change.path for change in changes.changes] == ["app.py"]
    materialise(cloned.folder, head, tmp_path / "out")
    assert (tmp_path / "out/app.py").read_text() == "a = 2\n"
    assert read_changes(cloned.folder, base=parted, head=base).changes[0].path == "other.py"


def test_clone_holds_no_history(branched, tmp_path):
    server, base, head, _ = branched
    cloned = clone(origin(server), base, head, tmp_path / "clone")
    assert remote_clone.disk_usage(cloned.folder) < 100_000
    with pytest.raises(UsageError, match="shallow"):
        read_changes(cloned.folder, base=f"{base}~1", head=head)


def test_clone_has_neither_hooks_nor_remotes(branched, tmp_path):
    server, base, head, _ = branched
    cloned = clone(origin(server), base, head, tmp_path / "clone")
    assert not (cloned.folder / "hooks").exists()
    config = (cloned.folder / "config").read_text()
    assert "remote" not in config
    assert "127.0.0.1" not in config
    assert not list(folder_of_all().iterdir())


def test_commits_apart_on_one_line_are_cloned(served, tmp_path):
    project, server = served
    base = project.commit(app="a = 1\n")
    head = project.commit(app="a = 2\n")
    assert clone(origin(server), base, head, tmp_path / "clone").merge_base == base
    assert clone(origin(server), head, head, tmp_path / "same").merge_base == head


def test_histories_without_a_common_commit_are_told(served, tmp_path):
    project, server = served
    base = project.commit(app="a = 1\n")
    project.git("checkout", "--quiet", "--orphan", "other")
    head = project.commit(app="a = 2\n")
    with pytest.raises(UsageError, match="no common commit"):
        clone(origin(server), base, head, tmp_path / "clone")
    assert nothing_stays(tmp_path)


@pytest.mark.parametrize(
    "url",
    ["ext::sh -c touch% mark", "file:///etc", "/etc", "ssh://host/x", "git://host/x", "-u./evil",
     "--upload-pack=touch", "http://example.org/x", "https://user:secret@host/x", "https://",
     "https://-oProxy=x/y", "https://host/x?y", "https://host/x#y", "https://host/a b",
     "https://host/\n", "https://host:0/x", "https://host:x/y", "HTTP::https://host/", "https://h\u00f6st/x",
     "ftp://127.0.0.1/x", "http://127.0.0.1@evil.example/x"],
)  # fmt: skip
def test_other_addresses_are_refused(url):
    with pytest.raises(UsageError, match="https address"):
        RemoteOrigin(url, loopback=True)


def test_plain_http_needs_leave():
    with pytest.raises(UsageError):
        RemoteOrigin("http://127.0.0.1/x")
    assert RemoteOrigin("https://git.example/x.git").environment == {"GIT_ALLOW_PROTOCOL": "https"}


@pytest.mark.parametrize(
    "name",
    ["main", "HEAD", "-x", "--upload-pack=x", "0" * 39, "0" * 41, "", "A" * 40, "0" * 40 + "\n"],
)
def test_other_names_than_full_ones_are_refused(served, tmp_path, name):
    for base, head in ((name, "0" * 40), ("0" * 40, name)):
        with pytest.raises(UsageError, match="full name"):
            clone(origin(served[1]), base, head, tmp_path / "clone")
    assert not served[1].headers_seen


def test_absent_commit_is_said(branched, tmp_path):
    server, base, _, _ = branched
    with pytest.raises(MachineError, match="cannot be fetched"):
        clone(origin(server), base, "1" * 40, tmp_path / "clone")
    assert nothing_stays(tmp_path)


def test_token_reaches_the_server_and_nothing_else(branched, tmp_path, monkeypatch):
    server, base, head, _ = branched
    form = base64.b64encode(f"x-access-token:{CANARY}".encode()).decode()
    server.password = f"Basic {form}"
    cloned = clone(origin(server, CANARY), base, head, tmp_path / "clone")
    assert server.headers_seen[-1]["Authorization"] == f"Basic {form}"
    seen = b"\n".join(server.commands_seen)
    seen += b"".join(path.read_bytes() for path in cloned.folder.rglob("*") if path.is_file())
    seen += repr(origin(server, CANARY)).encode()
    assert b"fetch" in seen
    assert CANARY.encode() not in seen
    assert form.encode() not in seen


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_errors_do_not_tell_the_token(served, tmp_path, status):
    def echo(handler):
        said = handler.headers.get("Authorization", "").encode()
        handler.send_response(status, "no")
        handler.send_header("Content-Type", "text/plain; charset=utf-8")
        handler.send_header("WWW-Authenticate", f"Basic realm={CANARY}")
        handler.end_headers()
        handler.wfile.write(said + b"\n" + CANARY.encode() + b"\x1b[31m\n")

    served[1].misbehave = echo
    with pytest.raises(MachineError) as failure:
        clone(origin(served[1], CANARY), "0" * 40, "1" * 40, tmp_path / "clone")
    form = base64.b64encode(f"x-access-token:{CANARY}".encode()).decode()
    assert CANARY not in str(failure.value)
    assert form not in str(failure.value)
    assert str(failure.value).replace("\n", "").isprintable()
    assert nothing_stays(tmp_path)


def test_credentials_of_the_user_are_not_sent(served, tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    mark = tmp_path / "mark"
    (home / ".netrc").write_text("machine 127.0.0.1 login someone password secret\n")
    (home / ".gitconfig").write_text(f'[credential]\n\thelper = "!touch {mark}"\n')
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_ASKPASS", f"touch {mark}")
    served[1].password = "Basic nothing"
    with pytest.raises(MachineError, match="cannot be fetched"):
        clone(origin(served[1]), "0" * 40, "1" * 40, tmp_path / "clone")
    assert not any("Authorization" in headers for headers in served[1].headers_seen)
    assert not mark.exists()


def test_redirects_are_not_followed(branched, tmp_path):
    server, base, head, _ = branched

    def redirect(handler):
        server.misbehave = None
        handler.send_response(302)
        handler.send_header("Location", handler.path.replace("/project", "/./project"))
        handler.end_headers()

    server.misbehave = redirect
    with pytest.raises(MachineError):
        clone(origin(server, CANARY), base, head, tmp_path / "clone")
    assert len(server.headers_seen) == 1


def test_repository_over_the_limit_is_refused(served, tmp_path):
    project, server = served
    project.write("noise.bin", os.urandom(3_000_000))
    commit = project.commit()
    with pytest.raises(MachineError) as failure:
        clone(origin(server), commit, commit, tmp_path / "clone", FetchBounds(size=1_000_000))
    assert "larger than" in str(failure.value) or "cannot be fetched" in str(failure.value)
    assert nothing_stays(tmp_path)


def endless(content: bytes):
    """An answer that repeats ``content`` until the client goes, 64 MB at most."""

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/x-git-upload-pack-advertisement")
        handler.end_headers()
        for _ in range(64_000_000 // len(content)):
            if handler.server.stopping.is_set():
                return
            handler.wfile.write(content)

    return answer


def test_endless_list_of_branches_is_cut_off(served, tmp_path, monkeypatch):
    line = b"003f" + b"a" * 40 + b" refs/heads/aaaaaaaaaaa\n"
    served[1].misbehave = endless(b"001e# service=git-upload-pack\n0000" + line * 1000)
    with pytest.raises(MachineError):
        clone(origin(served[1]), "0" * 40, "1" * 40, tmp_path / "clone", FetchBounds(seconds=5))
    assert nothing_stays(tmp_path)


def test_silent_server_is_given_up(served, tmp_path):
    served[1].misbehave = lambda handler: handler.server.stopping.wait(60)
    with pytest.raises(MachineError, match="did not end within 1 s"):
        clone(origin(served[1]), "0" * 40, "1" * 40, tmp_path / "clone", FetchBounds(seconds=1))
    assert nothing_stays(tmp_path)


def test_broken_and_forbidden_objects_are_refused(served, tmp_path):
    project, server = served
    inner = tree_of(project, ("100644", b"config", blob(project, b"[core]\n")))
    for entries in (
        [("40000", b".git", inner)],
        [("40000", b"..", inner)],
        [("100644", b"a", blob(project, b"")), ("100644", b"a", blob(project, b"1"))],
        [("120000", b".gitmodules", blob(project, b"/etc/passwd"))],
        [("100644", b".gitmodules", blob(project, b'[submodule "x"]\n\turl = -u./evil\n'))],
    ):
        commit = commit_of(project, tree_of(project, *entries))
        project.git("update-ref", "refs/heads/evil", commit)
        with pytest.raises(MachineError, match=r"fsck error|hasDotgit"):
            clone(origin(server), commit, commit, tmp_path / "clone")
        assert nothing_stays(tmp_path)


def test_hostile_content_is_cloned_and_never_run(served, tmp_path):
    project, server = served
    mark = tmp_path / "mark"
    project.write(".gitattributes", "* filter=evil diff=evil merge=evil\n")
    project.write(".gitconfig", f"[core]\n\tfsmonitor = touch {mark}\n")
    project.write("hooks/post-checkout", f"#!/bin/sh\ntouch {mark}\n").chmod(0o755)
    project.write("model.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    (project.root / "out").symlink_to("/etc")
    commit = project.commit(app="a = 1\n")
    cloned = clone(origin(server), commit, commit, tmp_path / "clone")
    left_out = {skip.target for skip in materialise(cloned.folder, commit, tmp_path / "tree")}
    assert left_out == {"out", "model.bin"}
    assert not mark.exists()


CLONES = """
import sys
from pathlib import Path
from worker.changes import remote_clone
from worker.changes.remote_clone import RemoteOrigin, clone
remote_clone.STALL_SECONDS = 1
clone(RemoteOrigin(sys.argv[1], loopback=True), "0" * 40, "1" * 40, Path(sys.argv[2]))
"""


def test_killed_clone_leaves_no_process_and_is_swept(served, tmp_path):
    asked = threading.Event()

    def stall(handler):
        asked.set()
        handler.server.stopping.wait(120)

    served[1].misbehave = stall
    command = [sys.executable, "-c", CLONES, origin(served[1]).url, str(tmp_path / "clone")]
    environment = {**os.environ, "TMPDIR": tempfile.gettempdir()}
    with subprocess.Popen(command, env=environment) as process:
        assert asked.wait(600)
        process.kill()
    deadline = time.monotonic() + 600
    while any(origin(served[1]).url.encode() in line for line in git_commands()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    (left,) = sweep_folders()
    assert left.startswith("history-")
    assert nothing_stays(tmp_path)


def test_destination_must_be_empty(branched, tmp_path):
    server, base, head, _ = branched
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone" / "precious").touch()
    with pytest.raises(UsageError, match="not empty"):
        clone(origin(server), base, head, tmp_path / "clone")
    assert (tmp_path / "clone" / "precious").exists()
