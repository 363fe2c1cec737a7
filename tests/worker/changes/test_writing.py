"""A side's tree on disk."""

import os
import subprocess

import pytest

from worker.changes import tree_writer
from worker.changes.tree_writer import materialise
from worker.errors import MachineError, UsageError


def tree(root):
    return {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}


def test_both_sides_are_written_whole(project, tmp_path):
    project.write("data/labels.txt", "cat\n")
    project.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    base = project.commit(app="a = 1\n")
    project.write("app.py", "a = 2\n").chmod(0o600)
    project.write("notes/new.txt", "n\n")
    project.write(".gitignore", "secret\n")
    project.write("secret", "s\n")
    project.write("venv/lib/python3.11/site-packages/x.py", "x = 1\n")
    old_mask = os.umask(0o077)
    try:
        assert materialise(project.root, None, tmp_path / "head") == ()
        assert materialise(project.root, base, tmp_path / "base") == ()
    finally:
        os.umask(old_mask)
    assert tree(tmp_path / "base") == {"app.py", "data/labels.txt", "run.sh"}
    assert tree(tmp_path / "head") == {
        "app.py", "data/labels.txt", "run.sh", "notes/new.txt", ".gitignore",
    }  # fmt: skip
    assert (tmp_path / "base/app.py").read_text() == "a = 1\n"
    assert (tmp_path / "head/app.py").read_text() == "a = 2\n"
    for path, mode in (("app.py", 0o644), ("run.sh", 0o755), ("data", 0o755)):
        assert (tmp_path / "head" / path).stat().st_mode & 0o777 == mode
        assert (tmp_path / "base" / path).stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("revision", [None, "HEAD"])
def test_links_stay_inside_the_tree(project, tmp_path, revision):
    project.write("a/b/c/file.txt", "x\n")
    links = {
        "good": "a/b/c/file.txt", "absolute": "/etc/passwd", "up": "../../etc/passwd",
        "a/b/c/top": "../../..", "a/b/c/trick": "top/../../etc", "loop": "loop",
    }  # fmt: skip
    for path, target in links.items():
        (project.root / path).symlink_to(target)
    project.commit()
    out = tmp_path / "out"
    left_out = {skipped.target for skipped in materialise(project.root, revision, out)}
    assert left_out == {"absolute", "up", "a/b/c/trick"}
    assert (out / "good").read_text() == "x\n"
    assert (out / "a/b/c/top").resolve() == out.resolve()


def raw_tree(project, *entries):
    """A tree that git itself would never make, and its commit."""
    body = b"".join(
        f"{mode} {name}\0".encode() + bytes.fromhex(blob) for mode, name, blob in entries
    )
    name = subprocess.run(
        ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
        cwd=project.root, input=body, capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    return project.git("commit-tree", name, "-m", "hostile")


def test_hostile_trees_do_not_escape(project, tmp_path):
    evil = project.write("evil.txt", "evil\n")
    blob = project.git("hash-object", "-w", str(evil))
    target = project.write("target", str(tmp_path / "outside"))
    link = project.git("hash-object", "-w", str(target))
    (tmp_path / "outside").mkdir()
    inner = project.git("rev-parse", raw_tree(project, ("100644", "x.py", blob)) + "^{tree}")
    commit = raw_tree(
        project,
        ("100644", "../up.py", blob),
        ("40000", "..", inner),
        ("120000", "a", link),
        ("40000", "a", inner),
        ("40000", ".GIT", inner),
        ("100644", "fine.py", blob),
    )
    left_out = materialise(project.root, commit, tmp_path / "deep/out")
    assert tree(tmp_path / "deep/out") == {"fine.py", "a/x.py"}
    assert {skipped.target for skipped in left_out} == {"../up.py", "../x.py", "a", ".GIT/x.py"}
    assert not list((tmp_path / "outside").iterdir())
    assert list((tmp_path / "deep").iterdir()) == [tmp_path / "deep/out"]


def test_large_files_are_left_out(project, tmp_path, monkeypatch):
    monkeypatch.setattr(tree_writer, "MAX_FILE_BYTES", 10)
    project.write("model.bin", "0" * 11)
    project.commit(app="a = 1\n")
    for revision in (None, "HEAD"):
        out = tmp_path / str(revision)
        left_out = materialise(project.root, revision, out)
        assert [skipped.target for skipped in left_out] == ["model.bin"]
        assert tree(out) == {"app.py"}


def test_full_disk_is_the_machines_fault(project, tmp_path):
    project.commit(app="a = 1\n")
    place = tmp_path / "file"
    place.write_text("")
    with pytest.raises(MachineError):
        materialise(project.root, "HEAD", place / "below")


def test_unknown_revision_is_refused(project, tmp_path):
    project.commit(app="a = 1\n")
    with pytest.raises(UsageError, match="nowhere"):
        materialise(project.root, "nowhere", tmp_path / "out")
