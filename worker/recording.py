"""The calls of a project's functions while its own tests run, for ``assayer annotate --record``."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from analyzers.guest.annotations.reading import definitions
from analyzers.inference.subject import parsed
from analyzers.vocabulary import ObservedCall, Reason, Target
from worker.broker import Broker, Budget, Recordings
from worker.changes import materialise
from worker.engines import Engines
from worker.environments import Environments, own_environment
from worker.laboratory.failures import GuestFailure, Unpreparable
from worker.laboratory.furnishing import obstacle
from worker.laboratory.place import Place, place_for
from worker.laboratory.session import Session
from worker.laboratory.watching import related_tests
from worker.settings.server import Settings
from worker.temporary import owned_folder

SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Recorder:
    """Runs tests of a copy of a project in isolation, offline, and watches calls."""

    place: Place
    tree: Path
    texts: Mapping[str, str]

    def calls(self, path: str) -> Sequence[ObservedCall]:
        """The calls of a file's functions in tests that name the file.

        Raises ``GuestFailure`` and ``Unpreparable`` where they cannot be run.
        """
        functions = _functions(self.texts[path])
        tests = related_tests(Target(path, "", 1, 1, Reason.CHANGED, (), (), ()), self.texts)
        if not functions or not tests:
            return ()
        target = Target(path, functions[0], 1, 1, Reason.CHANGED, (), (), (path,))
        broker = Broker(Engines(()), Recordings(None), Budget(0))
        with Session(self.place, self.tree, target, broker) as session:
            return session.observe(functions, tests, SECONDS)


def _functions(text: str) -> list[str]:
    tree = parsed(text)
    names = [] if tree is None else [name for name, _ in definitions(tree)]
    return [name for name in names if "<locals>" not in name]


@contextmanager
def recorder(
    root: Path, texts: Mapping[str, str], settings: Settings, *, trust: bool = False
) -> Generator[Recorder]:
    """A recorder for the working tree at ``root``; raises ``MachineError`` without isolation."""
    bare = place_for(settings, trust=trust)
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
            obstacle=obstacle(bare.isolation, settings.environments.folder),
            isolation=bare.isolation,
        ) as environments:
            own = own_environment(root)
            yield Recorder(bare.of(environments.of_tree(tree, code, own)), tree, texts)


def recorded(
    recorder: Recorder, paths: Sequence[str]
) -> Iterator[tuple[str, Sequence[ObservedCall], str]]:
    """Each file, the calls of its functions, and what kept them from being recorded."""
    for path in paths:
        try:
            yield path, recorder.calls(path), ""
        except (GuestFailure, Unpreparable) as reason:
            yield path, (), str(reason).partition("\n")[0]
