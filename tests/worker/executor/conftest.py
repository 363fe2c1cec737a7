import sys
from pathlib import Path

import pytest

from worker.errors import MachineError
from worker.executor.execution_context import GuestRuntime
from worker.sandbox.guest_limits import Limits
from worker.sandbox.isolation import find_isolation
from worker.sandbox.warm_sandboxes import WarmSandboxes


@pytest.fixture(scope="module")
def warm_place():
    """Guests of a tree are forked where its libraries were imported once for all tests."""
    try:
        isolation = find_isolation()
    except MachineError as missing:
        pytest.skip(str(missing))
    with WarmSandboxes() as warm:
        yield GuestRuntime(isolation, Path(sys.executable), Limits(), warm=warm)
