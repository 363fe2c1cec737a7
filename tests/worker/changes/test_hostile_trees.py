"""Trees that no honest project has: where they lead, what they are called, how big they are."""

import hashlib
import os
import subprocess
import zlib

import pytest

import worker.changes.tree_entries
from tests.worker.changes.test_writing import raw_tree, tree
from worker.changes.change_set import read_changes
from worker.changes.snapshot import read_texts
from worker.changes.tree_writer import materialise
from worker.errors import MachineError, UsageError

ODD_NAMES = (
    b"new\nline.py", b"\x1b]0;owned\x07.py", b"\xff\xfe.py", b"back\\slash.py", b"-rf.py",
    b"$(id).py", b"%s%n.py", "caf\u202egnp.py".encode(), b" .py", b"'\"`.py",
)  # fmt: skip
GIT_FOLDERS = (
    ".git", ".GIT", ".Git", "git~1", "GIT~1", ".git.", ".git ", ".git::$INDEX_ALLOCATION",
    ".g\u200cit", "\u200d.git", ".git\ufeff", "..", ".", "..\\up", "a\\.git",
)  # fmt: skip


def blob(project, content: bytes) -> str:
    return written(project, "blob", content)


def written(project, kind: str, content: bytes) -> str:
    """An object that git itself would refuse to make, or make slowly."""
    framed = f"{kind} {len(content)}\0".encode() + content
    name = hashlib.sha1(framed).hexdigest()
    place = project.root / ".git/objects" / name[:2] / name[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(zlib.compress(framed, 1))
    return name


def tree_of(project, *entries: tuple[str, bytes, str]) -> str:
    body = b"".join(
        mode.encode() + b" " + name + b"\0" + bytes.fromhex(what) for mode, name, what in entries
    )
    return written(project, "tree", body)


def commit_of(project, name: str) -> str:
    return project.git("commit-tree", name, "-m", "hostile")


@pytest.mark.parametrize("name", GIT_FOLDERS)
def test_no_name_reaches_gits_own_folder(project, tmp_path, name):
    inner = tree_of(project, ("100644", b"config", blob(project, b"[core]\n")))
    outer = tree_of(project, ("40000", name.encode(), inner))
    out = tmp_path / "deep" / "out"
    (left_out,) = materialise(project.root, commit_of(project, outer), out)
    assert left_out.reason == "its path leaves the tree"
    assert tree(tmp_path / "deep") == set()


def test_odd_names_are_written_or_said_but_never_shown_raw(project, tmp_path):
    content = blob(project, b"x = 1\n")
    entries = sorted(("100644", name, content) for name in ODD_NAMES)
    commit = commit_of(project, tree_of(project, *entries))
    assert materialise(project.root, commit, tmp_path / "out") == ()
    assert {os.fsencode(path.name) for path in (tmp_path / "out").iterdir()} == set(ODD_NAMES)
    changes = read_changes(project.root, base=commit, head=commit, everything=True)
    assert all(path.isprintable() for path in changes.sources)
    reasons = {skipped.reason.partition(" (")[0] for skipped in changes.skipped}
    assert reasons == {"its name is not printable UTF-8"}


def test_names_that_differ_in_case_alone_are_both_kept(project, tmp_path):
    first, second = blob(project, b"a = 1\n"), blob(project, b"a = 2\n")
    entries = ("100644", b"App.py", first), ("100644", b"app.py", second)
    commit = commit_of(project, tree_of(project, *entries))
    changes = read_changes(project.root, base=commit, head=commit, everything=True)
    assert dict(changes.sources) == {"App.py": "a = 1\n", "app.py": "a = 2\n"}
    left_out = materialise(project.root, commit, tmp_path / "out")
    assert len(tree(tmp_path / "out")) + len(left_out) == 2


def test_names_given_twice_are_written_once(project, tmp_path):
    first, second = blob(project, b"a = 1\n"), blob(project, b"a = 2\n")
    entries = ("100644", b"app.py", first), ("100644", b"app.py", second)
    commit = commit_of(project, tree_of(project, *entries))
    (left_out,) = materialise(project.root, commit, tmp_path / "out")
    assert left_out.target == "app.py"
    assert (tmp_path / "out/app.py").read_text() == "a = 1\n"


def test_folder_that_became_a_link_is_not_followed(project, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "app.py").write_text("stolen = 1\n")
    project.write("pkg/app.py", "a = 1\n")
    base = project.commit()
    project.git("rm", "-r", "--quiet", "pkg")
    (project.root / "pkg").symlink_to(tmp_path / "outside")
    head = project.commit()
    for revision in (None, head):
        changes = read_changes(project.root, base=base, head=revision)
        assert not changes.sources
        assert [(c.path, c.deleted) for c in changes.changes] == [("pkg/app.py", True)]
        out = tmp_path / str(revision)
        (left_out,) = materialise(project.root, revision, out)
        assert (left_out.target, tree(out)) == ("pkg", set())
    assert read_texts(project.root, None, ["pkg/app.py"]) == {}


def test_link_in_the_middle_of_a_path_is_not_written_through(project, tmp_path):
    (tmp_path / "outside").mkdir()
    link = blob(project, os.fsencode(tmp_path / "outside"))
    content = blob(project, b"a = 1\n")
    commit = raw_tree(
        project,
        ("120000", "a", link),
        (
            "40000",
            "a",
            tree_of(project, ("40000", b"b", tree_of(project, ("100644", b"c", content)))),
        ),
    )
    materialise(project.root, commit, tmp_path / "out")
    assert not list((tmp_path / "outside").iterdir())
    assert (tmp_path / "out/a/b/c").read_text() == "a = 1\n"


def test_untracked_link_in_the_working_tree_is_not_read(project, tmp_path):
    base = project.commit(app="a = 1\n")
    (tmp_path / "secret.py").write_text("key = 1\n")
    (project.root / "link.py").symlink_to(tmp_path / "secret.py")
    (project.root / "folder").symlink_to(tmp_path)
    assert set(read_changes(project.root, base=base).sources) == {"app.py"}


def test_special_files_in_the_working_tree_are_passed_over(project, tmp_path):
    base = project.commit(app="a = 1\n")
    (project.root / "app.py").unlink()
    os.mkfifo(project.root / "app.py")
    os.mkfifo(project.root / "pipe.py")
    changes = read_changes(project.root, base=base)
    assert not changes.sources
    materialise(project.root, None, tmp_path / "out")
    assert tree(tmp_path / "out") == set()


def test_lfs_pointers_are_named_and_not_fetched(project, tmp_path):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"
    project.write("model.bin", pointer)
    project.write(".lfsconfig", "[lfs]\n\turl = http://127.0.0.1:1/\n")
    project.write("small.txt", "version\n")
    project.commit()
    for revision in (None, "HEAD"):
        out = tmp_path / str(revision)
        (named,) = materialise(project.root, revision, out)
        assert (named.target, "LFS pointer" in named.reason) == ("model.bin", True)
        assert (out / "model.bin").read_text() == pointer
        assert (out / "small.txt").read_text() == "version\n"


def test_submodule_that_looks_like_an_option_is_only_named(project, tmp_path):
    mark = tmp_path / "mark"
    url = f"--upload-pack=touch {mark}"
    project.write(
        ".gitmodules", f'[submodule "x"]\n\tpath = -x\n\turl = {url}\n\tupdate = !touch {mark}\n'
    )
    project.git("add", ".gitmodules")
    project.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},-x")
    project.git("commit", "--quiet", "--message=x")
    for revision in (None, "HEAD"):
        left_out = materialise(project.root, revision, tmp_path / str(revision))
        assert [(skip.target, skip.reason) for skip in left_out] == [("-x", "it is a submodule")]
    assert not mark.exists()


def test_huge_link_is_left_out(project, tmp_path):
    link = blob(project, b"x" * 5_000_000)
    commit = commit_of(project, tree_of(project, ("120000", b"link", link)))
    (left_out,) = materialise(project.root, commit, tmp_path / "out")
    assert left_out.reason == "it is a symbolic link to no possible path"


def test_deep_and_long_paths_are_left_out(project, tmp_path):
    content = blob(project, b"a = 1\n")
    deep = tree_of(project, ("100644", b"x.py", content))
    for _ in range(1500):
        deep = tree_of(project, ("40000", b"d", deep))
    long = tree_of(project, ("100644", b"n" * 300, content))
    for _ in range(30):
        long = tree_of(project, ("40000", b"l" * 250, long))
    entries = ("40000", b"d", deep), ("100644", b"fine.py", content), ("40000", b"l", long)
    commit = commit_of(project, tree_of(project, *entries))
    assert len(materialise(project.root, commit, tmp_path / "out")) == 2
    assert tree(tmp_path / "out") == {"fine.py"}
    changes = read_changes(project.root, base=commit, head=commit, everything=True)
    assert "fine.py" in changes.sources


def test_deep_working_tree_is_read(project):
    base = project.commit(app="a = 1\n")
    folder = "/".join(["d"] * 1100)
    subprocess.run(["mkdir", "-p", folder], cwd=project.root, check=True)
    try:
        (project.root / folder / "x.py").write_text("x = 1\n")
        assert len(read_changes(project.root, base=base).sources) == 2
    finally:
        subprocess.run(["rm", "-rf", "d"], cwd=project.root, check=True)


def bomb(project, content: bytes, width: int, depth: int, name: bytes = b"%04d.py") -> str:
    """A tree of ``width ** depth`` files, made of ``depth`` objects."""
    what, mode = blob(project, content), "100644"
    for _ in range(depth):
        entries = [(mode, name % number, what) for number in range(width)]
        what, mode = tree_of(project, *entries), "40000"
    return commit_of(project, what)


def test_billions_of_paths_are_refused(project, tmp_path, monkeypatch):
    monkeypatch.setattr(worker.changes.tree_entries, "MAX_PATHS", 20_000)
    commit = bomb(project, b"", 10, 10)
    for use in (
        lambda: read_changes(project.root, base=commit, head=commit, everything=True),
        lambda: materialise(project.root, commit, tmp_path / "out"),
    ):
        with pytest.raises(UsageError, match="more than 20,000 paths"):
            use()


def test_long_names_without_end_are_refused(project, tmp_path, monkeypatch):
    monkeypatch.setattr(worker.changes.tree_entries, "MAX_NAMES", 10_000_000)
    commit = bomb(project, b"", 10, 10, b"n" * 200 + b"%04d")
    with pytest.raises(UsageError, match="paths"):
        materialise(project.root, commit, tmp_path / "out")


@pytest.mark.slow
def test_two_hundred_thousand_files_are_read(project):
    base = bomb(project, b"x = 1\n", 1, 1, b"old%d.txt")
    data = bomb(project, b"", 448, 2, b"%04d.txt")
    wide = project.git("rev-parse", f"{data}^{{tree}}")
    head = commit_of(
        project,
        tree_of(
            project,
            ("100644", b"app.py", blob(project, b"a = 1\n")),
            ("40000", b"data", wide),
        ),
    )
    changes = read_changes(project.root, base=base, head=head)
    assert changes.sources == {"app.py": "a = 1\n"}


def test_gigabytes_are_named_and_never_read(project, tmp_path, monkeypatch):
    large = project.root / "large.py"
    with large.open("wb") as file:
        file.truncate(1 << 30)
    project.write("app.py", "a = 1\n")
    changes = read_changes(project.root, everything=True)
    assert set(changes.sources) == {"app.py"}
    assert [skipped.target for skipped in changes.skipped] == ["large.py"]
    (left_out,) = materialise(project.root, None, tmp_path / "out")
    assert (left_out.target, tree(tmp_path / "out")) == ("large.py", {"app.py"})


def test_blob_that_inflates_is_not_read(project, tmp_path):
    bombs = [blob(project, bytes(size)) for size in (2_000_000, 101_000_000)]
    entries = [("100644", b"%d.py" % number, what) for number, what in enumerate(bombs)]
    commit = commit_of(project, tree_of(project, *entries))
    changes = read_changes(project.root, base=commit, head=commit, everything=True)
    assert not changes.sources
    assert len(changes.skipped) == 2
    with pytest.raises(UsageError, match="bytes"):
        read_texts(project.root, commit, ["1.py"])
    (left_out,) = materialise(project.root, commit, tmp_path / "out")
    assert left_out.target == "1.py"


def test_blob_left_out_of_the_checkout_is_not_read_whole(project):
    """A sparse checkout says nothing of the size."""
    base = project.commit(app="a = 1\n")
    project.git(
        "update-index", "--add", "--cacheinfo", f"100644,{blob(project, bytes(3_000_000))},b.py"
    )
    project.git("update-index", "--skip-worktree", "b.py")
    changes = read_changes(project.root, base=base)
    assert set(changes.sources) == {"app.py"}


def test_broken_objects_are_the_machines_fault(project, tmp_path):
    base = project.commit(app="a = 1\n")
    name = project.git("rev-parse", f"{base}^{{tree}}")
    place = project.root / ".git/objects" / name[:2] / name[2:]
    place.chmod(0o644)
    place.write_bytes(b"\x78\x9c\x1b[31mnot an object")
    with pytest.raises(MachineError) as failure:
        materialise(project.root, base, tmp_path / "out")
    assert str(failure.value).replace("\n", "").isprintable()
