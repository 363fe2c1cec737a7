"""Why code of a framework is not run: whose fault it is, and what to do."""

from dataclasses import replace

import pytest

from analyzers.vocabulary import ApiCall
from tests.worker.sessions import target
from worker.environments import Environment, shared
from worker.laboratory.frameworks import lacking, needed

USING = replace(target(), calls=(ApiCall("torch.relu", "app.py", "check", 2),))


def test_target_needs_the_frameworks_that_it_calls():
    assert needed(USING) == {"torch"}
    assert needed(target()) == frozenset()


def test_nothing_lacking_is_no_obstacle():
    assert lacking(USING, [], None) is None


@pytest.mark.parametrize(
    ("library", "package"), [("torch", "torch"), ("tensorflow", "tensorflow-cpu")]
)
def test_declared_framework_that_is_absent_is_our_fault(library, package, tmp_path):
    reason = f"{package}==2.0 (its wheel has 900 MiB; [environments] largest allows 400 MiB)"
    found = lacking(USING, [library], Environment(tmp_path, absent={package: reason}))
    assert found.our_fault
    assert reason in found.reason
    assert found.reason.startswith(f"{library} cannot be imported in the project's environment")


def test_framework_that_nobody_declares_is_not_our_fault():
    found = lacking(USING, ["torch"], shared())
    assert not found.our_fault
    assert "name it in requirements.txt" in found.reason


def test_framework_of_another_version_is_hidden():
    found = shared(absent={"torch": "torch<2 (offline; Assayer's own is 2.13.0)", "shop": "shop"})
    assert "torch" in found.hidden
    assert "shop" not in found.hidden
