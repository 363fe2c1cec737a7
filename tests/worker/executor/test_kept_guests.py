"""A guest that has loaded a file serves the next target of the file, and no other."""

from analyzers.vocabulary import LiteralArgument, Probe, Reason, Returned, Target
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.guest_conversation import TargetNotLoaded
from worker.executor.session import Session

SOURCE = """
import os

SEEN = []


def first(x):
    SEEN.append(x)
    return os.getpid(), len(SEEN)


class Bot:
    def __second(self, x):
        return first(x) if x else None
"""
BOTH = ("app.py",)
FIRST = Target("app.py", "first", 7, 9, Reason.CHANGED, (), (), BOTH)
SECOND = Target("app.py", "Bot.__second", 13, 14, Reason.CHANGED, (), (), BOTH)
ABSENT = Target("app.py", "third", 1, 1, Reason.CHANGED, (), (), BOTH)
RUN = Target("app.py", "<module>", 1, 14, Reason.CHANGED, (), (), BOTH)
OTHER = Target("other.py", "first", 1, 1, Reason.CHANGED, (), (), ("other.py",))


def test_guest_serves_the_targets_of_its_file_one_after_the_other(warm_place, tmp_path):
    (tmp_path / "app.py").write_text(SOURCE)
    (tmp_path / "other.py").write_text(SOURCE)
    broker = Broker(Engines(()), Recordings(None), ApiBudget(0))
    said, guests = [], []
    for target in (FIRST, SECOND, ABSENT, RUN, OTHER, FIRST):
        try:
            session = Session(warm_place, tmp_path, target, broker, (), BOTH)
        except TargetNotLoaded as reason:
            said.append(str(reason))
            continue
        guests.append(session._guest)
        given = {"x": LiteralArgument("1")} if target is not RUN else {}
        (run,) = session.run([Probe(target.id, given)])
        said.append(run.ending.value if isinstance(run.ending, Returned) else run.ending)
        session.release()
    assert guests[0] is guests[1]
    assert len(set(map(id, guests))) == 4
    counts = [each.rpartition(", ")[2] for each in said if each.startswith("(")]
    assert counts == ["1)", "1)", "1)", "1)"]
    assert said[2] == "third is not there once the module is loaded"
