"""Packages that exist only as source: built in the sandbox, believed by nobody."""

import ensurepip
import shutil
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from tests.worker.environments.guests import returned
from tests.worker.environments.sdists import buildable, recorded
from worker.environments.environment_builder import frame
from worker.environments.interpreters import installed, our_interpreter
from worker.environments.sdists.sandboxed_build import BuildExecutor
from worker.environments.sdists.sdist_builder import SdistBuilder, SimpleIndex
from worker.environments.sdists.source_distribution import NotBuilt, SdistRequirement
from worker.environments.uv import Index
from worker.sandbox.command_lines import open_to_others
from worker.sandbox.isolation import TRUSTED, IsolationUnavailable, find_isolation
from worker.system.temporary_files import owned_folder

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
ATTACKS = {
    "a connection to the index": (
        "socket.create_connection(('127.0.0.1', {port}), 5).sendall(b'GET /stolen')",
        "Error",
    ),
    "a file outside": ("open({secret!r}).read()", "FileNotFoundError"),
    "writing outside": ("open({left!r}, 'w')\nopen('/project/left', 'w')", "Read-only file system"),
    "writing to its environment": (
        "open(sysconfig.get_paths()['purelib'] + '/left.py', 'w')",
        "Read-only file system",
    ),
    "many processes": (
        "for _ in range(400):\n    if os.fork() == 0:\n        time.sleep(60)\n        os._exit(0)",
        "Resource temporarily unavailable",
    ),
    "endless output": (
        "for _ in range(1 << 13):\n    os.write(1, b'x' * (1 << 16))",
        "it printed more than 256 MiB",
    ),
    "terminal escapes": ("sys.exit('\\x1b[31m\\u202ered')", "?[31m?red"),
    "ending at once": ("os.kill(os.getppid(), 9)\ntime.sleep(60)", "it ended without a word"),
}


@pytest.fixture(scope="module")
def isolation():
    return find_isolation()


@pytest.fixture
def sources(index, isolation, tmp_path):
    @contextmanager
    def lend(declaration):
        lent.append([wanted.line for wanted in declaration.wanted])
        yield tmp_path / "environment" / "bin" / "python"

    lent = []
    frame(tmp_path / "environment", our_interpreter())
    deadline = time.monotonic() + 120
    asked = SimpleIndex(Index(index.url), deadline)
    made = SdistBuilder(asked, BuildExecutor(isolation, deadline), our_interpreter().version, lend)
    made.lent = lent
    return made


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_build_is_held_and_named(attack, sources, index, tmp_path):
    secret, left = tmp_path / "secret", tmp_path / "left"
    secret.write_text("canary")
    before, said = ATTACKS[attack]
    port = index.url.split(":")[2].partition("/")[0]
    before = before.format(port=port, secret=str(secret), left=str(left))
    index.source("evil", "1.0", buildable("evil", "1.0", before=before))
    with pytest.raises(NotBuilt) as refused:
        sources.build(SdistRequirement("evil"), tmp_path)
    assert said in str(refused.value)
    assert str(refused.value).isprintable()
    assert not [path for path in index.asked if "stolen" in path]
    assert not left.exists()
    assert not list(tmp_path.rglob("left.py"))


LIES = {
    "another name": ({"file": "other-1.0-py3-none-any.whl"}, "its wheel is other 1.0"),
    "another version": ({"file": "evil-2.0-py3-none-any.whl"}, "its wheel is evil 2.0"),
    "a path out of the wheel": (
        {"files": recorded("evil", "1.0", {"../../evil.py": ""})},
        "its wheel has a file ../../evil.py",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_wheel_that_lies_is_not_taken(lie, sources, index, tmp_path):
    wishes, said = LIES[lie]
    index.source("evil", "1.0", buildable("evil", "1.0", **wishes))
    with pytest.raises(NotBuilt, match=said):
        sources.build(SdistRequirement("evil"), tmp_path)
    assert not list(tmp_path.rglob("*.whl"))


def test_what_a_backend_asks_for_is_installed_outside(sources, index, tmp_path):
    index.source("carved", "1.0", buildable("carved", "1.0", requires=["a"], dynamic=["b>=1"]))
    assert sources.build(SdistRequirement("carved"), tmp_path).path.is_file()
    assert sources.lent == [["a"], ["a", "b>=1"]]


@pytest.mark.parametrize("asked", ["x @ https://evil.example/x.whl", "--index-url=x", "x y"])
def test_backend_cannot_ask_for_other_than_names(asked, sources, index, tmp_path):
    index.source("evil", "1.0", buildable("evil", "1.0", dynamic=[asked]))
    with pytest.raises(NotBuilt, match="its build needs"):
        sources.build(SdistRequirement("evil"), tmp_path)
    assert len(sources.lent) == 1


APP = "import carved\n\n\ndef version():\n    return carved.VERSION\n"


def test_source_is_built_and_imported_by_a_guest(environment, isolation, index, tmp_path):
    index.wheel("helper", "1.0")
    files = buildable("carved", "1.0", requires=["helper"], before="import helper")
    index.source("carved", "1.0", files)
    index.wheel("shop", "1.0", requires=["carved>=1"])
    files = {"requirements.txt": "shop\n", "app.py": APP}
    made = environment(files, builds=True, isolation=isolation)
    assert "built from source in the sandbox: carved==1.0" in " | ".join(made.notes)
    assert "not installed" not in " | ".join(made.notes)
    assert returned(isolation, made.python, tmp_path / "tree") == "'1.0'"


def test_failed_build_is_named_and_the_rest_installed(environment, isolation, index):
    index.source("carved", "1.0", buildable("carved", "1.0", before="sys.exit('no compiler')"))
    index.wheel("carved", "1.2")
    index.source("broken", "1.0", buildable("broken", "1.0", before="1 / 0"))
    index.wheel("shop", "1.0")
    text = "carved==1.0\nbroken\nshop\n"
    made = environment({"requirements.txt": text}, builds=True, isolation=isolation)
    said = " | ".join(made.notes)
    assert "2 packages" in said
    assert "carved==1.0 → 1.2 (only as source; its build failed: SystemExit: no compiler)" in said
    assert "broken (requirements.txt:2: only as source; its build failed: ZeroDivisionError" in said


def test_nothing_is_built_without_isolation(environment, index):
    index.source("carved", "1.0", buildable("carved", "1.0"))
    made = environment({"requirements.txt": "carved\n"}, builds=True, isolation=TRUSTED)
    assert "only as source; it is built in isolation alone" in " | ".join(made.notes)


def test_builds_are_off_by_default(environment, isolation, index):
    index.source("carved", "1.0", buildable("carved", "1.0"))
    made = environment({"requirements.txt": "carved\n"}, isolation=isolation)
    assert "only as source; set [environments] builds" in " | ".join(made.notes)
    assert not [path for path in index.asked if path.endswith(".tar.gz")]


def test_lock_with_the_hash_of_a_source(environment, isolation, index):
    good = index.source("carved", "1.0", buildable("carved", "1.0"))
    index.source("other", "1.0", buildable("other", "1.0"))
    text = f"carved==1.0 --hash={good}\nother==1.0 --hash=sha256:{'0' * 64}\n"
    made = environment({"requirements.txt": text}, builds=True, isolation=isolation)
    said = " | ".join(made.notes)
    assert "built from source in the sandbox: carved==1.0" in said
    assert "other==1.0 (requirements.txt:2: only as source; the index has no source" in said


@pytest.mark.slow
def test_build_that_takes_too_long_is_ended(index, isolation, tmp_path, sources, monkeypatch):
    monkeypatch.setattr("worker.environments.sdists.sandboxed_build.BUILD_SECONDS", 2.0)
    index.source("slow", "1.0", buildable("slow", "1.0", before="time.sleep(600)"))
    with pytest.raises(NotBuilt, match="it ran longer than 2 s"):
        sources.build(SdistRequirement("slow"), tmp_path)


BUNDLED = next((Path(ensurepip.__file__).parent / "_bundled").glob("setuptools-*.whl"), None)
SETUP = """\
import zipfile
from setuptools import Command, setup


class Wheel(Command):
    user_options = [("dist-dir=", "d", "")]

    def initialize_options(self):
        self.dist_dir = None

    def finalize_options(self):
        pass

    def run(self):
        with zipfile.ZipFile(self.dist_dir + "/carved-1.0-py3-none-any.whl", "w") as archive:
            for path, text in FILES.items():
                archive.writestr(path, text)


setup(name="carved", version="1.0", py_modules=["carved"], cmdclass={"bdist_wheel": Wheel})
"""


@pytest.mark.slow
@pytest.mark.skipif(BUNDLED is None, reason="this Python does not come with setuptools")
def test_setup_script_is_run_by_setuptools(environment, isolation, index):
    files = recorded("carved", "1.0", {"carved.py": ""})
    setup = f"FILES = {files!r}\n{SETUP}"
    index.source("carved", "1.0", {"setup.py": setup})
    index.add("setuptools", BUNDLED.name, BUNDLED.read_bytes())
    index.wheel("wheel", "0.40")
    made = environment({"requirements.txt": "carved\n"}, builds=True, isolation=isolation)
    assert "built from source in the sandbox: carved==1.0" in " | ".join(made.notes)


@pytest.fixture
def landlocked():
    """Landlock alone, and an environment of the system's Python that its guests can read."""
    system = next((each for each in installed() if each.executable.is_relative_to("/usr")), None)
    if system is None:
        pytest.skip("the system has no CPython from 3.9 on")
    try:
        isolation = find_isolation(choice="landlock", python=system.executable)
    except IsolationUnavailable as reason:
        pytest.skip(str(reason))
    with owned_folder("landlocked") as folder:
        frame(folder / "environment", system)
        open_to_others(folder)
        yield isolation, system, folder / "environment" / "bin" / "python"


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("pass", None),
        ("socket.socket()", "Error"),
        ("open(sysconfig.get_paths()['purelib'] + '/left.py', 'w')", "PermissionError"),
        ("open({secret!r}).read()", "Error"),
    ],
)
def test_build_without_namespaces(before, said, landlocked, index, tmp_path):
    isolation, system, python = landlocked
    (tmp_path / "secret").write_text("canary")
    before = before.format(secret=str(tmp_path / "secret"))
    index.source("carved", "1.0", buildable("carved", "1.0", before=before))
    deadline = time.monotonic() + 120
    asked = SimpleIndex(Index(index.url), deadline)
    sources = SdistBuilder(
        asked, BuildExecutor(isolation, deadline), system.version, lambda _: nullcontext(python)
    )
    if said is None:
        assert sources.build(SdistRequirement("carved"), tmp_path).path.is_file()
    else:
        with pytest.raises(NotBuilt, match=said):
            sources.build(SdistRequirement("carved"), tmp_path)
