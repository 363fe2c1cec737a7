"""A key changes with everything that a result rests on, and with nothing else."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from analyzers.vocabulary import ApiCall, ChangeSet, FileChange, LiteralArgument, Probe, Reason
from analyzers.vocabulary import Target as Function
from tests.worker.sessions import laboratory
from worker.check.check_plan import CheckPlan, CheckRequest
from worker.check.result_keys import ResultKeys, RunScope, installed_packages
from worker.environments.environment import Environment
from worker.executor.execution_context import SourceTree
from worker.settings.operator_settings import read_settings
from worker.settings.repository_configuration import Configuration

FILES = {
    "shop/__init__.py": "",
    "shop/vision.py": "from shop.helper import clip\n\ndef find_labels(path):\n    clip(1)\n",
    "shop/helper.py": "def clip(value):\n    return value\n",
    "shop/plain.py": "def unrelated():\n    return 1\n",
    "shop/caller.py": "from shop.vision import find_labels\n\nprint(find_labels('x'))\n",
    "README.md": "A shop.\n",
    "data/words.json": "[1]",
}
TARGET = Function(
    "shop/vision.py", "find_labels", 3, 4, Reason.CHANGED,
    (ApiCall("google.vision.label_detection", "shop/vision.py", "find_labels", 4),),
    (), ("shop/vision.py",),
)  # fmt: skip


def side(root: Path, files) -> SourceTree:
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return SourceTree(root, {path: t for path, t in files.items() if path.endswith(".py")})


@pytest.fixture
def key(tmp_path):
    made = iter(range(1000))

    def key(head=FILES, base=FILES, target=TARGET, scope="same", examples=()):
        number = next(made)
        context = laboratory(
            side(tmp_path / f"head{number}", head), side(tmp_path / f"base{number}", base)
        )
        if examples:
            context.examples.keep(target.id, examples)
        changes = ChangeSet(
            "here", "b", None, (FileChange("shop/vision.py", frozenset({4})),),
            context.head.texts, context.base.texts,
        )  # fmt: skip
        return ResultKeys(scope, changes, context).of(target)

    return key


def edited(path, text):
    return {**FILES, path: text}


def test_key_is_the_same_for_the_same(key):
    assert key() == key()
    assert key(scope=None) is None


RELEVANT = {
    "the function": edited("shop/vision.py", FILES["shop/vision.py"] + "# more\n"),
    "what it calls": edited("shop/helper.py", "def clip(value):\n    return value + 1\n"),
    "its package": edited("shop/__init__.py", "import os\n"),
    "data": edited("data/words.json", "[2]"),
    "other data": edited("setup.cfg", "[tool]\n"),
    "a caller": edited("shop/caller.py", FILES["shop/caller.py"] + "find_labels(3)\n"),
    "a new test": edited("tests/test_x.py", "from shop import vision\n"),
    "prose about it": edited("README.md", "Call `find_labels(path)`.\n"),
    "an environment variable": edited("shop/plain.py", "import os\nos.environ['API_KEY']\n"),
    "how models are run": edited("train.py", "net.half()\n"),
    "a module that takes a name over": edited("helper.py", "def clip(): ...\n"),
    "vendored": {**FILES, "vendor/x.bin": "1"},
}


@pytest.mark.parametrize("head", RELEVANT.values(), ids=RELEVANT)
def test_key_changes_with_what_the_result_rests_on(key, head):
    if "helper.py" in head:
        head = {**head, "shop/vision.py": head["shop/vision.py"].replace("shop.helper", "helper")}
        assert key(head) != key({k: v for k, v in head.items() if k != "helper.py"})
    assert key(head) != key()


@pytest.mark.parametrize("path", ["shop/vision.py", "shop/helper.py", "data/words.json"])
def test_key_changes_with_base(key, path):
    assert key(base=edited(path, "other = 1\n")) != key()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("shop/plain.py", "def unrelated():\n    return 2\n"),
        ("README.md", "A better shop.\n"),
        ("shop/new.py", "x = 1\n"),
    ],
)
def test_key_stays_with_what_does_not_concern_it(key, path, text):
    assert key(edited(path, text)) == key()


@pytest.mark.parametrize("how", ["importlib.import_module(name)", "exec(text)", "__import__(x)"])
def test_code_that_imports_by_name_depends_on_everything(key, how):
    dynamic = edited("shop/helper.py", f"import importlib\n\ndef clip(name):\n    {how}\n")
    other = {**dynamic, "shop/plain.py": "def unrelated():\n    return 2\n"}
    assert key(dynamic) != key(other)


def test_key_changes_with_inputs_that_failed_and_with_the_target(key):
    failing = (Probe(TARGET.id, {"path": LiteralArgument("'x'")}),)
    assert key(examples=failing) != key()
    assert key(target=replace(TARGET, reason=Reason.CALLS_CHANGED)) != key()
    assert key(scope="other") != key()


# ------------------------------------------------------- what all targets share


@pytest.fixture
def scope(tmp_path):
    """The digest of a run whose circumstances are these but for ``changes``."""
    head, base = side(tmp_path / "head", FILES), side(tmp_path / "base", FILES)
    python = tmp_path / "env" / "bin" / "python"
    packages = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    python.parent.mkdir(parents=True)
    packages.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (packages / "torch-2.0.dist-info").mkdir()

    def scope(request=None, configuration=None, environment=None):
        found = environment or Environment(python)
        context = laboratory(replace(head, environment=found), replace(base, environment=found))
        plan = CheckPlan(
            ChangeSet("here", "b", None, (), {}, {}), None, (), configuration or Configuration()
        )
        return RunScope(
            request or CheckRequest(tmp_path), read_settings(None), plan, context
        ).digest()

    scope.packages = packages
    scope.environment = Environment(python)
    return scope


def test_scope_changes_with_circumstances_and_packages(scope, tmp_path, monkeypatch):
    first = scope()
    assert scope() == first
    assert scope(CheckRequest(tmp_path, offline=True)) != first
    assert scope(configuration=Configuration(inputs=20)) != first
    assert scope(environment=replace(scope.environment, notes=("another",))) != first
    (scope.packages / "einops.py").write_text("")
    second = scope()
    assert second != first
    monkeypatch.setenv("ASSAYER_SANDBOX__MEMORY", "1GiB")
    assert scope() != second


def test_scope_does_not_depend_on_what_is_ignored(scope):
    assert scope(configuration=Configuration(gate="neutral")) == scope()


@pytest.mark.parametrize("trouble", ["absent", "development", "open", "unknown"])
def test_scope_is_unknown_where_packages_are(scope, trouble):
    environment = scope.environment
    if trouble == "absent":
        environment = replace(environment, absent={"torch": "it has no wheel"})
    elif trouble == "development":
        (scope.packages / "__editable__.mine.pth").write_text("/somewhere/else\n")
    elif trouble == "open":
        place = environment.python.parent.parent / "pyvenv.cfg"
        place.write_text("include-system-site-packages = true\n")
    else:
        environment = replace(environment, python=Path("/nowhere/bin/python"))
    assert scope(environment=environment) is None


def test_package_that_is_edited_in_place_is_noticed_in_a_checkout(scope):
    module = scope.packages / "torch" / "layers.py"
    module.parent.mkdir()
    module.write_text("a = 1\n")
    python = scope.environment.python
    before = installed_packages(python, (), whole=True)
    module.write_text("a = 22\n")
    assert installed_packages(python, (), whole=True) != before
