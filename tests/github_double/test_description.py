"""The description: complete, strict, and its holes named."""

from __future__ import annotations

import json

import pytest

from tests.github_double import openapi_description
from tests.github_double.description_corrections import UNDESCRIBED
from tests.github_double.permissions import NEEDED
from tests.github_double.responses import DOCS
from tests.github_double.rest import HANDLERS

DONE_BY_THE_SERVICE = {"rate-limit/get"}


def test_every_described_operation_has_a_handler():
    assert set(openapi_description.operations().operations) == set(HANDLERS) | DONE_BY_THE_SERVICE


def test_every_operation_of_a_repository_names_its_permission():
    operations = openapi_description.operations().operations.values()
    within = {one.id for one in operations if one.template.startswith("/repos/")}
    assert within - {"apps/get-repo-installation"} == set(NEEDED)


def test_every_hole_is_of_a_described_operation_and_has_a_reason():
    operations = openapi_description.operations().operations
    assert all(name in operations and reason for (name, _), reason in UNDESCRIBED.items())


def test_answer_that_breaks_its_schema_is_noticed():
    found = openapi_description.operations()
    operation = found.operations["issues/create-comment"]
    assert found.wrong_with_answer(operation, 201, {"id": "one"})
    assert found.wrong_with_answer(operation, 418, {"message": "x"})
    assert (
        found.wrong_with_answer(operation, 403, {"message": "x", "documentation_url": DOCS}) == []
    )


@pytest.mark.parametrize("name", ["check_run.created", "issue_comment.created", "push"])
def test_payload_that_breaks_its_schema_is_noticed(name):
    event, _, action = name.partition(".")
    payload = {"action": action} if action else {}
    assert openapi_description.events().wrong_with(event, payload)


def test_observed_errors_are_the_doubles_own():
    """The wording of refusals is what people saw."""
    observed = json.loads((openapi_description.FOLDER / "observed-errors.json").read_text())
    sources = "".join(
        path.read_text()
        for path in openapi_description.FOLDER.parent.rglob("*.py")
        if "test_" not in path.name
    )
    for error in observed:
        message = error["body"]["message"].split("0000")[0].split(";")[0].split("\n")[0]
        assert message.split(" (")[0][:40] in sources.replace('"\n            "', "")
