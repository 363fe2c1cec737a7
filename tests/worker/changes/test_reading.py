"""The change set between two sides of a real repository."""

import json
from pathlib import Path

import pytest

from worker.changes import git
from worker.changes.change_set import read_changes
from worker.changes.snapshot import ProjectScope
from worker.errors import UsageError
from worker.settings.repository_configuration import read_configuration

ORIGINAL = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6\ng = 7\nh = 8\n"


def changed(changes):
    return {change.path: change for change in changes.changes}


def test_working_tree_is_compared_with_default_branch(project):
    project.commit(app=ORIGINAL)
    project.git("switch", "--quiet", "--create", "topic")
    project.commit(app=ORIGINAL.replace("b = 2", "b = 20"))
    project.write("app.py", ORIGINAL.replace("b = 2", "b = 20").replace("d = 4\n", ""))
    project.write("new.py", "x = 1\n")
    changes = read_changes(project.root)
    assert changes.head is None
    assert changes.base == project.git("rev-parse", "main")
    assert changed(changes)["app.py"].lines == {2}
    assert changed(changes)["app.py"].removed_at == {1, 3}
    assert changed(changes)["new.py"].lines == {1}
    assert changes.sources["new.py"] == "x = 1\n"
    assert changes.base_sources == {"app.py": ORIGINAL}


def test_commits_are_compared_without_working_tree(project):
    base = project.commit(app=ORIGINAL)
    head = project.commit(app="zero = 0\n" + ORIGINAL)
    project.write("app.py", "broken(")
    changes = read_changes(project.root, base=base, head="HEAD")
    assert changes.head == head
    assert changed(changes)["app.py"].lines == {1}
    assert not changed(changes)["app.py"].removed_at


def test_same_commit_has_no_changes(project):
    project.commit(app=ORIGINAL)
    assert read_changes(project.root).changes == ()


def test_subfolder_stands_for_its_repository(project):
    base = project.commit(app=ORIGINAL)
    project.write("deep/er/x.py", "x = 1\n")
    changes = read_changes(project.root / "deep" / "er", base=base)
    assert changes.repository == str(project.root)
    assert list(changed(changes)) == ["deep/er/x.py"]


def test_renames_and_deletions_are_told(project):
    base = project.commit(old=ORIGINAL, gone="x = 1\n")
    (project.root / "old.py").rename(project.root / "fresh.py")
    (project.root / "gone.py").unlink()
    project.write("fresh.py", ORIGINAL.replace("g = 7", "g = 70"))
    found = changed(read_changes(project.root, base=base))
    assert (found["fresh.py"].old_path, found["fresh.py"].lines) == ("old.py", {7})
    assert found["gone.py"].deleted
    assert set(found) == {"fresh.py", "gone.py"}


def test_everything_compares_with_nothing(project):
    project.write("app.py", ORIGINAL)
    changes = read_changes(project.root, everything=True)
    assert changed(changes)["app.py"].lines == set(range(1, 9))
    assert not changes.base_sources
    again = read_changes(project.root, base=changes.base)
    assert changed(again)["app.py"].lines == set(range(1, 9))


def test_nothing_at_all_is_no_change(project):
    assert read_changes(project.root, everything=True).changes == ()


def test_ignored_files_stay_out(project):
    base = project.commit(app=ORIGINAL)
    project.write(".gitignore", "secret.py\n")
    project.write("secret.py", "key = 1\n")
    assert "secret.py" not in read_changes(project.root, base=base).sources


@pytest.mark.parametrize(
    "path", ["vendor/x.py", "env/lib/python3.9/site-packages/y.py", "a/node_modules/z.py",
             "api_pb2.py", "odd/env/bin/w.py"],
)  # fmt: skip
def test_foreign_code_is_excluded_and_said(project, path):
    project.write("odd/env/pyvenv.cfg", "home = /usr\n")
    base = project.commit(app=ORIGINAL)
    project.write(path, "x = 1\n")
    project.git("add", "--force", path)
    changes = read_changes(project.root, base=base)
    assert not changes.changes
    assert path not in changes.sources
    assert [skipped.target for skipped in changes.skipped] == [path]


def test_globs_of_the_project_decide(project):
    base = project.commit(app=ORIGINAL)
    for path in ("src/a.py", "src/skip/b.py", "src/vendor/ours/c.py", "other/d.py"):
        project.write(path, "x = 1\n")
    scope = ProjectScope(include=("src/",), exclude=("src/skip/", "!src/vendor/ours/"))
    found = changed(read_changes(project.root, base=base, scope=scope))
    assert set(found) == {"src/a.py", "src/vendor/ours/c.py"}


def test_encodings_are_read_as_python_does(project):
    base = project.commit()
    project.write("latin.py", "# coding: latin-1\nname = 'é'\n".encode("latin-1"))
    project.write("bom.py", b"\xef\xbb\xbfx = 1\r\ny = 2\r\n")
    project.write("wrong.py", "name = 'é'\n".encode("latin-1"))
    project.write("codec.py", "# coding: hex\n7878\n")
    project.write("binary.py", b"\x00\x01\x02")
    changes = read_changes(project.root, base=base)
    assert changes.sources["latin.py"].endswith("'é'\n")
    assert changes.sources["bom.py"] == "x = 1\r\ny = 2\r\n"
    assert changed(changes)["bom.py"].lines == {1, 2}
    reasons = {skipped.target: skipped.reason for skipped in changes.skipped}
    assert set(reasons) == {"wrong.py", "codec.py", "binary.py"}
    assert "decoded" in reasons["wrong.py"]
    assert not set(reasons) & set(changes.sources)


def test_line_ends_alone_are_no_change(project):
    base = project.commit(app=ORIGINAL)
    project.write("app.py", ORIGINAL.replace("\n", "\r\n").replace("h = 8", "h = 80"))
    assert changed(read_changes(project.root, base=base))["app.py"].lines == {8}
    project.write("app.py", ORIGINAL.replace("\n", "\r\n"))
    assert not read_changes(project.root, base=base).changes


def test_notebook_is_the_text_of_its_code(project):
    def notebook(value):
        cells = [
            {"cell_type": "markdown", "source": ["# title"]},
            {"cell_type": "code", "source": ["%matplotlib inline\n", "a = 1\n", f"b = {value}"]},
        ]
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4})

    project.write("n.ipynb", notebook(2))
    base = project.commit()
    project.write("n.ipynb", notebook(3))
    changes = read_changes(project.root, base=base)
    assert changes.sources["n.ipynb"] == "# %matplotlib inline\na = 1\nb = 3"
    assert changed(changes)["n.ipynb"].lines == {3}


def test_huge_files_are_skipped_with_reason(project):
    base = project.commit()
    project.write("table.py", "x = [" + "1,\n" * 400_000 + "]\n")
    changes = read_changes(project.root, base=base)
    assert not changes.sources
    assert "bytes" in changes.skipped[0].reason


def test_odd_names_are_kept_or_refused(project):
    base = project.commit()
    project.write("ein Name mit ümlaut.py", "x = 1\n")
    project.write("-n.py", "x = 1\n")
    project.write("tab\there.py", "x = 1\n")
    (project.root / b"\xff.py".decode(errors="surrogateescape")).write_text("x = 1\n")
    changes = read_changes(project.root, base=base)
    assert set(changes.sources) == {"ein Name mit ümlaut.py", "-n.py"}
    commit = project.commit()
    assert read_changes(project.root, base=base, head=commit).sources == changes.sources


def test_symbolic_links_are_not_followed(project, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("key = 1\n")
    project.write("folder/secret.py", "public = 1\n")
    base = project.commit(app=ORIGINAL)
    (project.root / "link.py").symlink_to(outside / "secret.py")
    (project.root / "folder" / "secret.py").unlink()
    (project.root / "folder").rmdir()
    (project.root / "folder").symlink_to(outside)
    (project.root / "app.py").unlink()
    (project.root / "app.py").symlink_to(outside / "secret.py")
    changes = read_changes(project.root, base=base)
    assert not changes.sources
    assert changed(changes)["folder/secret.py"].deleted


def test_submodules_are_not_entered(project, tmp_path):
    other = type(project)(tmp_path / "other")
    other.commit(inner="x = 1\n")
    base = project.commit(app=ORIGINAL)
    project.git("-c", "protocol.file.allow=always", "submodule", "add", str(other.root), "sub")
    changes = read_changes(project.root, base=base)
    assert set(changes.sources) == {"app.py"}
    inner = read_changes(project.root / "sub", everything=True)
    assert set(inner.sources) == {"inner.py"}


def test_sparse_checkout_deletes_nothing(project):
    project.write("kept/a.py", "a = 1\n")
    project.write("left/b.py", "b = 1\n")
    base = project.commit()
    project.git("sparse-checkout", "set", "kept")
    assert not (project.root / "left").exists()
    assert not read_changes(project.root, base=base).changes


def test_linked_worktrees_are_read(project, tmp_path):
    base = project.commit(app=ORIGINAL)
    project.git("worktree", "add", "--quiet", str(tmp_path / "second"), "-b", "topic")
    (tmp_path / "second" / "new.py").write_text("x = 1\n")
    changes = read_changes(tmp_path / "second", base=base)
    assert set(changed(changes)) == {"new.py"}


def test_sha256_repositories_are_read(tmp_path, project):
    modern = type(project)(tmp_path / "modern", "--object-format=sha256")
    base = modern.commit(app=ORIGINAL)
    modern.write("app.py", ORIGINAL + "i = 9\n")
    changes = read_changes(modern.root, base=base)
    assert changed(changes)["app.py"].lines == {9}
    assert len(changes.base) == 64


def test_bare_repository_needs_a_head(project, tmp_path):
    base = project.commit(app=ORIGINAL)
    project.commit(app=ORIGINAL + "i = 9\n")
    project.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    with pytest.raises(UsageError, match="bare"):
        read_changes(tmp_path / "bare.git", base=base)
    found = changed(read_changes(tmp_path / "bare.git", base=base, head="main"))
    assert found["app.py"].lines == {9}


def test_unknown_revision_is_named(project):
    project.commit(app=ORIGINAL)
    for revision in ("nowhere", "--output=x", "HEAD:app.py", "HEAD~5", ""):
        with pytest.raises(UsageError) as refused:
            read_changes(project.root, base=revision)
        assert repr(revision) in str(refused.value)


def test_empty_repository_says_what_to_do(project):
    project.write("app.py", ORIGINAL)
    with pytest.raises(UsageError, match="no commits"):
        read_changes(project.root)


def test_folder_without_git_is_refused(tmp_path):
    with pytest.raises(UsageError, match="not a git repository"):
        read_changes(tmp_path)
    with pytest.raises(UsageError, match="not a directory"):
        read_changes(tmp_path / "none")


def test_default_branch_must_be_known(project):
    project.commit(app=ORIGINAL)
    project.git("branch", "--move", "trunk")
    assert read_changes(project.root).base == project.git("rev-parse", "trunk")
    project.git("branch", "other")
    with pytest.raises(UsageError, match="default branch"):
        read_changes(project.root)


def test_remote_names_the_default_branch(project, tmp_path):
    base = project.commit(app=ORIGINAL)
    project.git("branch", "--move", "develop")
    project.git("clone", "--quiet", ".", str(tmp_path / "clone"))
    clone = type(project)(tmp_path / "clone")
    clone.commit(app=ORIGINAL + "i = 9\n")
    assert read_changes(clone.root).base == base


def test_shallow_clone_says_how_to_fetch(project, tmp_path):
    first = project.commit(app=ORIGINAL)
    project.git("switch", "--quiet", "--create", "topic")
    project.commit(app=ORIGINAL + "i = 9\n")
    project.git("switch", "--quiet", "main")
    project.commit(app="z = 0\n" + ORIGINAL)
    url = f"file://{project.root}"
    shallow = tmp_path / "shallow"
    project.git("clone", "--quiet", "--depth=1", "--no-single-branch", url, str(shallow))
    with pytest.raises(UsageError, match="unshallow"):
        read_changes(shallow, base=first)
    with pytest.raises(UsageError, match="unshallow"):
        read_changes(shallow, head="origin/topic")


def test_unrelated_histories_are_told(project):
    project.commit(app=ORIGINAL)
    project.git("switch", "--quiet", "--orphan", "island")
    project.commit(other="x = 1\n")
    with pytest.raises(UsageError, match="no common commit"):
        read_changes(project.root)


def test_sources_do_not_need_the_checkout(project, tmp_path):
    base = project.commit(app=ORIGINAL)
    changes = read_changes(project.root, base=base)
    project.root.rename(tmp_path / "moved")
    assert changes.sources["app.py"] == ORIGINAL


def test_path_of_checkout_may_be_odd(project, tmp_path):
    base = project.commit(app=ORIGINAL)
    moved = tmp_path / '"# ein:Ort'
    project.root.rename(moved)
    assert read_changes(Path(moved), base=base).sources["app.py"] == ORIGINAL


def test_reading_a_change_and_its_configuration_starts_few_processes(project, monkeypatch):
    base = project.commit(app="a = 1\n")
    head = project.commit(app="a = 2\n")
    started = []
    begin = git.RunningProcess.__init__

    def counted(process, call):
        started.append(call)
        begin(process, call)

    monkeypatch.setattr(git.RunningProcess, "__init__", counted)
    read_configuration(project.root, base, head=head)
    read_changes(project.root, base=base, head=head)
    assert len(started) <= 30
