"""The calls of a project's functions while its own tests run, for ``assayer annotate --record``."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from analyzers.guest.annotations.annotation_reader import definitions
from analyzers.inference.facts import parse_module
from analyzers.vocabulary import ObservedCall, Reason, Target
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.changes.tree_writer import materialise
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.environments.interpreters import developer_environment
from worker.environments.provision import Environments
from worker.executor.execution_context import GuestRuntime, folder_obstacle, guest_runtime
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.project_files import related_tests
from worker.executor.session import Session
from worker.settings.operator_settings import Settings
from worker.system.temporary_files import owned_folder

SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Recorder:
    """Runs tests of a copy of a project in isolation, offline, and watches calls."""

    place: GuestRuntime
    tree: Path
    texts: Mapping[str, str]

    def calls(self, path: str) -> Sequence[ObservedCall]:
        """Return a file's calls in tests; raise ``GuestFailure``, ``TargetNotLoaded``."""
        tree = parse_module(self.texts[path])
        names = [] if tree is None else [name for name, _ in definitions(tree)]
        functions = [name for name in names if "<locals>" not in name]
        tests = related_tests(Target(path, "", 1, 1, Reason.CHANGED, (), (), ()), self.texts)
        if not functions or not tests:
            return ()
        target = Target(path, functions[0], 1, 1, Reason.CHANGED, (), (), (path,))
        broker = Broker(Engines(()), Recordings(None), ApiBudget(0))
        with Session(self.place, self.tree, target, broker) as session:
            return session.observe(functions, tests, SECONDS)


@contextmanager
def recorder(
    root: Path, texts: Mapping[str, str], settings: Settings, *, trust: bool = False
) -> Generator[Recorder]:
    """A recorder for the working tree at ``root``; raises ``MachineError`` without isolation."""
    bare = guest_runtime(settings, trust=trust)
    with owned_folder("recording") as folder:
        tree = folder / "tree"
        tree.mkdir()
        materialise(root, None, tree)
        folder.chmod(0o755)
        code = [path for path in texts if path.endswith(".py")]
        with Environments(
            settings.environments,
            settings.sandbox.python,
            lambda _: None,
            offline=True,
            obstacle=folder_obstacle(bare.isolation, settings.environments.folder),
            isolation=bare.isolation,
        ) as environments:
            own = developer_environment(root)
            yield Recorder(bare.of(environments.of_tree(tree, code, own)), tree, texts)


def record_files(
    recorder: Recorder, paths: Sequence[str]
) -> Iterator[tuple[str, Sequence[ObservedCall], str]]:
    """Each file, the calls of its functions, and what kept them from being recorded."""
    for path in paths:
        try:
            yield path, recorder.calls(path), ""
        except (GuestFailure, TargetNotLoaded) as reason:
            yield path, (), str(reason).partition("\n")[0]
