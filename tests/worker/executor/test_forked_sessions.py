"""A session in a forked guest says what one in a fresh process says, with torch too."""

import sys
from pathlib import Path

import pytest

from analyzers.vocabulary import Probe, Reason, RecipeArgument, Returned, Target
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.execution_context import GuestRuntime
from worker.executor.session import Session
from worker.sandbox.guest_limits import Limits
from worker.sandbox.isolation import find_isolation
from worker.sandbox.warm_sandbox import ForkedGuest
from worker.sandbox.warm_sandboxes import WarmSandboxes

SOURCE = """
import os
import sys
import torch


SEEN = []


def mean(x):
    SEEN.append(1)
    with open("note.txt", "a") as file:
        file.write("x")
    noise = torch.rand(2).tolist()
    threads = torch.get_num_threads(), len(os.listdir("/proc/self/task"))
    hidden = "hypothesis" in sys.modules
    return x.mean().item(), noise, threads, len(SEEN), os.path.getsize("note.txt"), hidden
"""
TARGET = Target("app.py", "mean", 8, 15, Reason.CHANGED, (), (), ("app.py",))
PROBE = Probe(TARGET.id, {"x": RecipeArgument("tensor((2, 3), fill=1.5)")})


@pytest.mark.slow
def test_forked_and_fresh_sessions_say_the_same(tmp_path: Path):
    pytest.importorskip("torch")
    (tmp_path / "app.py").write_text(SOURCE)
    broker = Broker(Engines(()), Recordings(None), ApiBudget(0))
    with WarmSandboxes() as pool:
        place = GuestRuntime(find_isolation(), Path(sys.executable), Limits(), warm=pool)
        said = []
        for modules in (None, ("torch",), ("torch",), ("torch",)):
            with Session(place, tmp_path, TARGET, broker, modules) as session:
                assert isinstance(session._guest, ForkedGuest) == (modules is not None)
                said += session.run([PROBE])
        assert pool.notes == {}
    assert {type(run.ending) for run in said} == {Returned}
    assert len({run.ending.value for run in said}) == 1
    assert "(1, 1), 1, 1, False" in said[0].ending.value
