"""Code outside functions: run with command lines that its own parser accepts."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from analyzers import catalogue
from analyzers.guest.annotations.annotation_reader import read
from analyzers.inference.facts import Confidence, ConstraintSource
from analyzers.inference.function_contracts import (
    FunctionContract,
    NoContractError,
    ParameterContract,
    function_contract,
)
from analyzers.ports import Executor
from analyzers.vocabulary import Contract, ExplorationRequest, Target

from .constraint_sources.module_scope import dotted_name

_MOST = 12
_TEXT = "strings(min_len=1, max_len=8, alphabet='abcdefgh')"
_SWITCHES = ("store_true", "store_false", "store_const", "append_const", "count")


@dataclass(frozen=True, slots=True)
class _Option:
    flag: str
    words: tuple[str, ...]
    required: bool


def command_lines(tree: ast.Module) -> list[list[str]]:
    """Lines of words in aN that the program takes (argparse and click).

    The first has only what must be there; each other one has one option more,
    and the last has all of them.  A word is a constraint of one argument.
    """
    options = list(_options(tree))
    needed = [each for each in options if each.required]
    lines = [_line(needed)]
    optional = [each for each in options if not each.required]
    lines += [_line([*needed, each]) for each in optional]
    if len(optional) > 1:
        lines.append(_line(options))
    return [line for line, _ in itertools.groupby(lines)][:_MOST]


def _line(options: list[_Option]) -> list[str]:
    """Options first, what is positional behind them."""
    ordered = [each for each in options if each.flag] + [each for each in options if not each.flag]
    found: list[str] = []
    for each in ordered:
        found += [f"froms([{each.flag!r}])"] if each.flag else []
        found += each.words
    return found


def _options(tree: ast.Module) -> Iterator[_Option]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        attribute = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        called = (dotted_name(node.func) or attribute).rpartition(".")
        if called[2] == "add_argument":
            found = _option(node, positional="")
        elif called[2] in ("option", "argument") and called[0] in ("click", "typer", ""):
            found = _option(node, positional="argument" if called[2] == "argument" else "")
        else:
            continue
        if found is not None:
            yield found


def _option(node: ast.Call, positional: str) -> _Option | None:
    flags = [each for each in (_literal(arg) for arg in node.args) if isinstance(each, str)]
    given = {each.arg: each.value for each in node.keywords if each.arg}
    if not flags or _literal(given.get("action")) in ("help", "version"):
        return None
    flag = next((each for each in flags if each.startswith("--")), flags[0])
    named = flag.startswith("-") and not positional
    count = _literal(given.get("nargs"))
    required = _literal(given.get("required")) is True or (not named and count not in ("?", "*"))
    if _literal(given.get("action")) in _SWITCHES or _literal(given.get("is_flag")) is True:
        return _Option(flag, (), required)
    times = count if isinstance(count, int) else 1
    return _Option(flag if named else "", (_word(given),) * times, required)


def _word(given: dict[str, ast.expr]) -> str:
    choices = _literal(given.get("choices"))
    kind = given.get("type")
    if isinstance(kind, ast.Call) and dotted_name(kind.func).endswith("Choice") and kind.args:
        choices = _literal(kind.args[0])
    if isinstance(choices, list | tuple) and choices:
        return f"froms({list(map(str, choices))!r})"
    name = dotted_name(kind).rpartition(".")[2].lower()
    default = _literal(given.get("default"))
    if isinstance(default, int | float | str) and not isinstance(default, bool):
        return (
            f"froms([{str(default)!r}])" if name not in ("int", "float") else _number(name, default)
        )
    if name in ("path", "file", "filetype"):
        return "paths(kind='text')"
    return _number(name, None)


def _number(name: str, default: object) -> str:
    values = {"int": ["1", "2", "4"], "float": ["0.1", "0.5", "1.0"]}.get(name)
    if values is None:
        return _TEXT
    first = [] if default is None else [str(default)]
    return f"froms({list(dict.fromkeys([*first, *values]))!r})"


def _literal(node: ast.expr | None) -> object:
    try:
        return None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None


def is_explorable(target: Target, bench: Executor) -> bool:
    """Return whether a target calls a framework or is annotated, and asks no ML cloud API.

    What asks one is tested with answers, by the analyzer for that.  Functions
    that are annotated as generators or excluded are left alone.
    """
    asked = catalogue.load_catalogue().apis
    if any(api in asked for api in target.apis) or not target.path.endswith(".py"):
        return False
    said = read(bench.source(target.path)).functions.get(target.function)
    return said is None or not (said.exclude or said.generator)


def not_installed(package: str, bench: Executor) -> str | None:
    """Return what to say where a stand-in took a package's place in what was run; else ``None``."""
    if package not in bench.standins:
        return None
    return f"{package} is not installed in the project's environment"


MAIN, MODULE = "__main__", "<module>"
ARGV = "sys.argv"


def is_script(target: Target) -> bool:
    """Return whether a target is code outside functions."""
    return target.function in (MAIN, MODULE)


def script_contract(target: Target, bench: Executor) -> FunctionContract:
    """The command lines of a script; raises ``NoContractError`` for a module nobody wants run."""
    source = bench.source(target.path)
    annotated = read(source).module_test
    if target.function == MODULE and not annotated:
        raise NoContractError("a module's own code is run where #@module_test says so")
    lines = command_lines(ast.parse(source))
    if not lines:
        return FunctionContract(Contract(), {})
    constraint = f"anys({', '.join(map(_command_line, lines))})"
    sure = Confidence.CERTAIN if annotated else Confidence.STRONG
    term = ParameterContract(
        constraint, ConstraintSource.FRAMEWORK, sure, f"{target.path}: its command line"
    )
    return FunctionContract(Contract({ARGV: constraint}), {ARGV: term})


def _command_line(words: list[str]) -> str:
    return f"tuples({', '.join(words)})"


SECONDS = 20.0
LEAST_SECONDS = 2.0
TIMEOUT = 5.0


def target_contract(target: Target, bench: Executor) -> FunctionContract:
    """The terms on which a function or a script can be tested; raises ``NoContractError``."""
    return script_contract(target, bench) if is_script(target) else function_contract(target, bench)


def exploration_of(terms: FunctionContract, target: Target, bench: Executor) -> ExplorationRequest:
    """Return how much to draw: what failed before comes first."""
    return ExplorationRequest(
        contract=terms.contract,
        generators=terms.generators,
        first=tuple(probe.arguments for probe in bench.kept(target)),
        examples=30 * bench.plan.inputs,
        seconds=max(LEAST_SECONDS, min(SECONDS, bench.remaining() / 2)),
        timeout=terms.timeout or TIMEOUT,
        seed=bench.plan.seed,
    )
