"""The page for security people claims nothing that no test shows."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from worker.sandbox.attack_battery.lasting_attacks import HOLDING, STAYING
from worker.sandbox.attack_battery.main import ATTACKS
from worker.sandbox.attacks import ZYGOTE

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/security.md"
SHOWN = re.compile(r"\[`(test_\w+)`\]\(([^)#]+)\)")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#[^)]*)?\)")


def tables(text):
    """Every table as its header and its rows, each row as its cells."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        header, _, *rows = (
            [cell.strip() for cell in line.strip("|\n").split("|")] for line in block.splitlines()
        )
        yield header, rows


def claims(text):
    return [row for header, rows in tables(text) if header[-1] == "test" for row in rows]


def unshown(text, folder):
    """Claims without a test, and tests that are not where the page says."""
    for claim, *_, shown in claims(text):
        found = SHOWN.findall(shown)
        if not found or SHOWN.sub("", shown).strip(" ,"):
            yield claim
        yield from (f"{claim}: {name}" for name, path in found if not defined(folder / path, name))


def defined(path, name):
    return path.is_file() and name in functions(path)


@cache
def functions(path):
    body = ast.parse(path.read_text()).body
    return {node.name for node in body if isinstance(node, ast.FunctionDef)}


def test_every_claim_has_its_test():
    text = PAGE.read_text()
    assert len(claims(text)) > 40
    assert list(unshown(text, PAGE.parent)) == []


@pytest.mark.parametrize(
    "shown",
    [
        "",
        "trust us",
        "[`test_absent`](../tests/repository/test_security.py)",
        "[`test_every_claim_has_its_test`](../tests/absent.py)",
        "[`test_every_claim_has_its_test`](../tests/repository/test_security.py), and more",
    ],
)
def test_claim_without_its_test_is_noticed(shown):
    table = f"| claim | test |\n|---|---|\n| holds | {shown} |\n"
    assert list(unshown(table, PAGE.parent))


def test_every_attack_named_is_one_of_the_battery():
    known = {*ATTACKS, *HOLDING, *STAYING, ZYGOTE}
    cells = [
        row[header.index("attacks")]
        for header, rows in tables(PAGE.read_text())
        if "attacks" in header
        for row in rows
    ]
    named = {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    assert len(named) > 50
    assert named <= known


@pytest.mark.parametrize("page", ["docs/security.md", "SECURITY.md"])
def test_links_lead_somewhere(page):
    place = ROOT / page
    links = [link for link in LINK.findall(place.read_text()) if link and ":" not in link]
    assert links
    assert [link for link in links if not (place.parent / link).exists()] == []


def test_every_case_of_githubs_has_its_test():
    page = ROOT / "docs/github-contract.md"
    assert [row[0] for row in claims(page.read_text())] == [str(n) for n in range(1, 27)]
    assert list(unshown(page.read_text(), page.parent)) == []
