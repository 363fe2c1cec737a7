"""No program of the machine is started with the whole of our environment."""

import ast
from pathlib import Path

import pytest

from tests.repository.syntax_trees import tree

ROOT = Path(__file__).parents[2]
STARTERS = {"run", "Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput"}
WITHOUT_A_CHOICE = (
    *("system", "popen", "startfile", "execv", "execvp", "execl", "execlp", "spawnv", "spawnvp"),
    *("spawnl", "spawnlp"),
)
WITH_A_CHOICE = {"execve", "execvpe", "execle", "posix_spawn", "posix_spawnp", "spawnve"}
OURSELVES = {
    ("worker/cli/serve.py", "os.execv"): "the web app is Assayer itself",
    ("worker/sandbox/attack_battery/lasting_attacks.py", "os.execv"): "runs inside the sandbox",
}


def programs():
    """The files of the host's half."""
    for folder in ("app", "worker"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def called(node):
    """``module.function`` of a call, also where the module has another name here."""
    function = node.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.value.id, function.attr
    return "", getattr(function, "id", "")


def unsaid(source):
    """Calls that hand on the whole environment, or do not say what they hand on."""
    for node in ast.walk(tree(source)):
        if isinstance(node, ast.ImportFrom) and node.module in {"subprocess", "os"}:
            yield from (
                f"{node.module}.{alias.name}"
                for alias in node.names
                if alias.name in {*STARTERS, *WITHOUT_A_CHOICE, *WITH_A_CHOICE}
            )
        if not isinstance(node, ast.Call):
            continue
        module, name = called(node)
        if module == "subprocess" and name in STARTERS:
            given = [ast.unparse(word.value) for word in node.keywords if word.arg == "env"]
            if not given or given[0] in {"None", "os.environ", "dict(os.environ)"}:
                yield f"subprocess.{name}"
        elif (module == "os" and name in WITHOUT_A_CHOICE) or name.startswith("create_subprocess"):
            yield f"{module}.{name}"


def careless(source):
    """Interpreters that import from the current folder, programs looked up in any ``PATH``."""
    for node in ast.walk(tree(source)):
        if isinstance(node, ast.List | ast.Tuple) and node.elts:
            first, *rest = map(ast.unparse, node.elts)
            if first == "sys.executable" and not {"'-I'", "'-P'"} & set(rest[:1]):
                yield f"[{first}, {', '.join(rest)}]"
        elif isinstance(node, ast.Call) and called(node)[1] == "which":
            yield from (
                () if any(word.arg == "path" for word in node.keywords) else (ast.unparse(node),)
            )


def test_nothing_is_started_or_looked_up_where_we_stand():
    found = {
        (str(path.relative_to(ROOT)), call)
        for path in programs()
        for call in careless(path.read_text())
    }
    assert found == set()


@pytest.mark.parametrize(
    "source",
    [
        "Popen([sys.executable, '-m', 'worker.cli'])",
        "Program('web', (sys.executable, '-s', '-c', code))",
        "Popen([sys.executable])",
        "shutil.which('git')",
        "which('git', os.F_OK)",
    ],
)
def test_a_careless_start_would_be_noticed(source):
    assert list(careless(source))


def test_every_program_gets_an_environment_of_its_own():
    found = {
        (str(path.relative_to(ROOT)), call)
        for path in programs()
        for call in unsaid(path.read_text())
    }
    assert found == set(OURSELVES)


@pytest.mark.parametrize(
    "source",
    [
        "subprocess.run(['rm'])",
        "subprocess.Popen(['rm'], env=None)",
        "subprocess.run(['rm'], env=os.environ)",
        "from subprocess import run",
        "os.system('rm')",
        "asyncio.create_subprocess_exec('rm')",
    ],
)
def test_a_breach_would_be_noticed(source):
    assert list(unsaid(source))


def test_a_chosen_environment_is_none():
    assert not list(unsaid("subprocess.run(['rm'], env=environment('HOME'))"))
