"""The repository keeps what it promises to itself."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from analyzers.pipeline import ANALYZERS
from analyzers.rules import RULES
from worker.cli import COMMANDS

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def committed(*patterns: str) -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode()
    return [path for name in listing.split("\0") if name and (path := ROOT / name).is_file()]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


OF_ONE = {"properties": "property", "relations": "relation", "models": "model"}
"""What an analyzer's rules are called that is named for several (CONTRACT.md, section 2)."""


@pytest.mark.parametrize("analyzer", [analyzer.name for analyzer in ANALYZERS])
def test_every_analyzer_is_documented_and_tested(analyzer):
    kind = OF_ONE.get(analyzer, analyzer)
    assert any(rule.startswith(f"{kind}/") for rule in RULES)
    assert list((ROOT / "tests/analyzers" / analyzer).glob("test_*.py"))
    assert f"`{kind}/" in (ROOT / "README.md").read_text()


def test_every_analyzer_folder_is_a_layer_of_its_own():
    contracts = PYPROJECT["tool"]["importlinter"]["contracts"]
    (layers,) = [c["layers"] for c in contracts if c.get("containers") == ["analyzers"]]
    listed = {name for layer in layers for name in layer.split(" | ")}
    assert {analyzer.name for analyzer in ANALYZERS} <= listed


def test_every_command_exists():
    missing = [
        name
        for name, place in COMMANDS.items()
        if not (ROOT / (place.split(":")[0].replace(".", "/") + ".py")).is_file()
    ]
    assert not missing


def locked(name):
    """The versions in a lock, by package."""
    found = {}
    for line in (ROOT / name).read_text().splitlines():
        if not line.startswith("#"):
            package, _, version = line.split(" ;")[0].strip().partition("==")
            found.setdefault(normal(package), set()).add(version)
    return found


def test_every_dependency_is_locked():
    """To run: ranges that both locks meet, with the same version; to develop: one version."""
    project = PYPROJECT["project"]
    extras = project["optional-dependencies"]
    to_run = [Requirement(line) for line in [*project["dependencies"], *extras["postgres"]]]
    to_develop = [Requirement(line) for line in extras["dev"]]
    developing, running = (locked(f"requirements{name}.lock") for name in ("", "-runtime"))
    for asked, locks in ((to_run, (developing, running)), (to_develop, (developing,))):
        for each in asked:
            for lock in locks:
                versions = lock.get(normal(each.name), set())
                assert versions, f"{each.name}: run make lock"
                assert all(map(each.specifier.contains, versions)), f"{each.name}: run make lock"
    assert [str(each) for each in to_develop if "==" not in str(each.specifier)] == []
    assert [str(each) for each in to_run if ">=" not in str(each.specifier)] == []
    assert {
        name: versions for name, versions in running.items() if developing[name] != versions
    } == {}
    assert "opencv-python" not in developing


def test_image_has_nothing_of_development():
    """Frameworks under test come from the environments of the tested projects."""
    running = locked("requirements-runtime.lock")
    # pytest is there: it is lent to projects whose tests are observed
    developing = {"torch", "jax", "keras", "mypy", "pyright", "playwright", "sphinx"}
    assert developing & {*running} == set()
    assert "requirements-runtime.lock" in (ROOT / "Containerfile").read_text()
    kept = set(re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
    copied = re.findall(
        r"^COPY (?!--from)(.+) \S+$", (ROOT / "Containerfile").read_text(), re.MULTILINE
    )
    assert kept == {name for line in copied for name in line.split()}


def test_nothing_names_this_machine():
    places = re.compile(r"(?<![\w.])/(work|home|root|Users)/[\w.-]+")
    texts = [path for path in committed() if path.suffix in {".md", ".toml", ".py", ".yaml", ""}]
    told = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in texts
        if ROOT / "tests" not in path.parents
        for found in [places.search(path.read_text(errors="replace"))]
        if found
    ]
    assert not told


def test_no_secret_is_committed():
    secret = re.compile(rb"AKIA[0-9A-Z]{16}|AIza[\w-]{35}|-----BEGIN [A-Z ]*PRIVATE KEY|ghp_\w{36}")
    assert [path for path in committed() if secret.search(path.read_bytes())] == []


def test_nothing_is_left_unfinished():
    marks = re.compile(r"\b(TODO|FIXME|XXX|raise NotImplementedError)\b")
    ours = [path for path in committed("app", "worker", "analyzers") if path.suffix == ".py"]
    assert [str(path.relative_to(ROOT)) for path in ours if marks.search(path.read_text())] == []


def test_public_modules_say_what_they_are():
    silent = [
        str(path.relative_to(ROOT))
        for path in committed("app", "worker", "analyzers")
        if path.suffix == ".py"
        and "application" not in path.parts
        and path.read_text()
        and not path.read_text().startswith(('"""', 'r"""'))
    ]
    assert not silent


@pytest.mark.parametrize("name", ["setup", "closing", "system-packages"])
def test_scripts_are_sound(name):
    script = ROOT / "scripts" / name
    assert script.stat().st_mode & 0o111
    subprocess.run(["bash", "-n", script], check=True)


def test_fragments_name_their_issue():
    kinds = "feature|bugfix|doc|removal|misc"
    for path in (ROOT / "changelog.d").iterdir():
        assert re.fullmatch(rf"(\d+|\+[\w-]+)\.({kinds})(\.\d+)?\.md", path.name), path.name
