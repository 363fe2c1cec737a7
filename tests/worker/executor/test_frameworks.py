"""Why code of a framework is not run: whose fault it is, and what to do."""

from dataclasses import replace

import pytest

from analyzers.vocabulary import ApiCall
from tests.worker.sessions import target
from worker.environments.environment import Environment, shared_environment
from worker.executor.target_preparation import missing_framework, required_frameworks

USING = replace(target(), calls=(ApiCall("torch.relu", "app.py", "check", 2),))


def test_target_needs_the_frameworks_that_it_calls():
    assert required_frameworks(USING) == {"torch"}
    assert required_frameworks(target()) == frozenset()


def test_nothing_lacking_is_no_obstacle():
    assert missing_framework(USING, [], None) is None


@pytest.mark.parametrize(
    ("library", "package"), [("torch", "torch"), ("tensorflow", "tensorflow-cpu")]
)
def test_declared_framework_that_is_absent_is_our_fault(library, package, tmp_path):
    reason = f"{package}==2.0 (its wheel has 900 MiB; [environments] largest allows 400 MiB)"
    found = missing_framework(USING, [library], Environment(tmp_path, absent={package: reason}))
    assert found.our_fault
    assert reason in found.reason
    assert found.reason.startswith(f"{library} cannot be imported in the project's environment")


def test_framework_that_nobody_declares_is_not_our_fault():
    found = missing_framework(USING, ["torch"], shared_environment())
    assert not found.our_fault
    assert "name it in requirements.txt" in found.reason


def test_framework_of_another_version_is_hidden():
    found = shared_environment(
        absent={"torch": "torch<2 (offline; Assayer's own is 2.13.0)", "shop": "shop"}
    )
    assert "torch" in found.hidden
    assert "shop" not in found.hidden
