import difflib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worker.github_app.publishing.documents import case
from worker.github_app.publishing.inline_comments import ChangedFile, Diff, Nowhere, OnFile, OnLines

LINES = st.lists(st.sampled_from(["a", "b", "- c", "+ d", "@@ e", "", "\t", "f\r"]), max_size=30)
PATCH = """\
@@ -1,4 +1,5 @@ class A:
 one
-two
+zwei
+drei
 three
 four
@@ -20,2 +21,2 @@
 twenty
 more"""


def diff(patch, status="modified"):
    return Diff.of([ChangedFile("a.py", status, patch)])


def patch_of(old, new, context):
    rows = difflib.unified_diff(old, new, n=context, lineterm="")
    return "\n".join(list(rows)[2:])


def hunks_of(patch):
    """A second reading of a patch: for each hunk, the head's lines and the deleted ones."""
    hunks = []
    for row in patch.split("\n"):
        header = re.match(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", row)
        if header and not (hunks and hunks[-1]["left"]):
            number = int(header[1])
            size = 1 if header[2] is None else int(header[2])
            hunks.append({"rows": [], "next": number, "left": size})
        elif row[:1] == "-":
            hunks[-1]["rows"].append(("deleted", None, row[1:]))
        elif row[:1] in {"+", " "}:
            hunks[-1]["rows"].append(("there", hunks[-1]["next"], row[1:]))
            hunks[-1]["next"] += 1
            hunks[-1]["left"] -= 1
    return hunks


@settings(deadline=None)
@given(LINES, LINES, st.integers(0, 3))
def test_places_are_those_that_applying_the_patch_shows(old, new, context):
    patch = patch_of(old, new, context)
    read = diff(patch)
    hunks = hunks_of(patch)
    for first in range(1, len(new) + 2):
        for last in range(first, min(first + 5, len(new) + 2)):
            holding = [
                hunk["rows"]
                for hunk in hunks
                if {first, last} <= {number for _, number, _ in hunk["rows"]}
            ]
            place = read.place("a.py", first, last)
            exact = OnLines("a.py", last, first if first < last else None)
            assert (place == exact) is bool(holding)
            if not holding:
                assert not read.replaceable("a.py", first, last)
                continue
            [rows] = holding
            numbers = [number for _, number, _ in rows]
            between = rows[numbers.index(first) : numbers.index(last) + 1]
            assert [text for kind, _, text in between if kind == "there"] == new[first - 1 : last]
            whole = all(kind == "there" for kind, _, _ in between)
            assert read.replaceable("a.py", first, last) is whole


@settings(deadline=None)
@given(st.text(max_size=300))
def test_strange_patches_have_no_lines_or_are_read(patch):
    place = diff(patch).place("a.py", 1, 1)
    assert isinstance(place, OnLines | OnFile)


def test_every_added_line_of_a_real_pull_request_can_be_told():
    loaded = case()
    read = Diff.of([ChangedFile(**file) for file in loaded["files"]])
    for file in loaded["files"]:
        if file["status"] == "added":
            for line in range(1, len(loaded["texts"][file["path"]].splitlines()) + 1):
                assert read.place(file["path"], line, line) == OnLines(file["path"], line)


def test_one_line_has_no_start():
    assert diff(PATCH).place("a.py", 2, 2) == OnLines("a.py", 2, None)
    assert diff(PATCH).place("a.py", 2, 3) == OnLines("a.py", 3, 2)


def test_range_over_two_hunks_stands_on_its_first_line():
    assert diff(PATCH).place("a.py", 4, 21) == OnLines("a.py", 4)


@pytest.mark.parametrize("line", [6, 20, 23, 1_000])
def test_line_between_hunks_is_told_on_the_file(line):
    assert diff(PATCH).place("a.py", line, line) == OnFile("a.py")


@pytest.mark.parametrize("patch", [None, "", "@@ nonsense", "@@ -1,9 +1,9 @@\n short"])
def test_file_without_a_readable_patch_is_told_on_the_file(patch):
    assert diff(patch).place("a.py", 1, 1) == OnFile("a.py")


@pytest.mark.parametrize("status", ["removed", "unchanged"])
def test_files_that_are_not_changed_are_told_in_the_summary(status):
    assert diff(PATCH, status).place("a.py", 1, 1) == Nowhere()
    assert diff(PATCH).place("b.py", 1, 1) == Nowhere()


def test_renamed_file_is_told_by_its_new_name():
    read = Diff.of([ChangedFile("new.py", "renamed", PATCH)])
    assert read.place("new.py", 2, 2) == OnLines("new.py", 2)
    assert read.place("old.py", 2, 2) == Nowhere()


def test_nothing_is_replaced_over_deleted_lines():
    deleted = "@@ -1,3 +1,2 @@\n one\n-two\n three"
    assert diff(deleted).place("a.py", 1, 2) == OnLines("a.py", 2, 1)
    assert not diff(deleted).replaceable("a.py", 1, 2)
    assert diff(deleted).replaceable("a.py", 1, 1)
    assert diff(deleted).replaceable("a.py", 2, 2)


def test_file_whose_hunks_only_delete_has_no_lines():
    assert diff("@@ -1,2 +0,0 @@\n-one\n-two").place("a.py", 1, 1) == OnFile("a.py")


def test_file_without_a_newline_at_its_end_is_read():
    patch = "@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+two\n\\ No newline at end of file"
    assert diff(patch).place("a.py", 1, 1) == OnLines("a.py", 1)


def test_lines_that_git_counts_otherwise_are_not_pointed_at():
    assert diff(PATCH).place("a.py", 2, 2, "one\rtwo\n") == OnFile("a.py")
    assert diff(PATCH).place("a.py", 2, 2, "one\r\ntwo\r\n") == OnLines("a.py", 2)
