"""Code outside functions: run with command lines that its own parser accepts."""

from __future__ import annotations

import ast

from analyzers import catalogue
from analyzers.guest.annotations.annotation_reader import read
from analyzers.inference.command_lines import command_lines
from analyzers.inference.facts import Confidence, ConstraintSource
from analyzers.inference.function_contracts import (
    FunctionContract,
    NoContractError,
    ParameterContract,
    function_contract,
)
from analyzers.ports import Executor
from analyzers.vocabulary import Contract, ExplorationRequest, Target


def is_explorable(target: Target, bench: Executor) -> bool:
    """Whether a target calls a framework or is annotated, and asks no ML cloud API.

    What asks one is tested with answers, by the analyzer for that.  Functions
    that are annotated as generators or excluded are left alone.
    """
    asked = catalogue.load_catalogue().apis
    if any(api in asked for api in target.apis) or not target.path.endswith(".py"):
        return False
    said = read(bench.source(target.path)).functions.get(target.function)
    return said is None or not (said.exclude or said.generator)


def not_installed(package: str, bench: Executor) -> str | None:
    """What to say where a stand-in took a package's place in what was run; else ``None``."""
    if package not in bench.standins:
        return None
    return f"{package} is not installed in the project's environment"


MAIN, MODULE = "__main__", "<module>"
ARGV = "sys.argv"


def is_script(target: Target) -> bool:
    """Whether a target is code outside functions."""
    return target.function in (MAIN, MODULE)


def script_contract(target: Target, bench: Executor) -> FunctionContract:
    """The command lines of a script; raises ``NoTermsError`` for a module nobody wants run."""
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
    """The words of a command line, without the program's name, as a constraint."""
    return f"tuples({', '.join(words)})"


SECONDS = 20.0
LEAST_SECONDS = 2.0
TIMEOUT = 5.0


def target_contract(target: Target, bench: Executor) -> FunctionContract:
    """The terms on which a function or a script can be tested; raises ``NoTermsError``."""
    return script_contract(target, bench) if is_script(target) else function_contract(target, bench)


def exploration_of(terms: FunctionContract, target: Target, bench: Executor) -> ExplorationRequest:
    """How much to draw: what failed before comes first."""
    return ExplorationRequest(
        contract=terms.contract,
        generators=terms.generators,
        first=tuple(probe.arguments for probe in bench.kept(target)),
        examples=30 * bench.plan.inputs,
        seconds=max(LEAST_SECONDS, min(SECONDS, bench.remaining() / 2)),
        timeout=terms.timeout or TIMEOUT,
        seed=bench.plan.seed,
    )
