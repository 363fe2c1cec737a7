"""Code outside functions: run with command lines that its own parser accepts."""

from __future__ import annotations

import ast

from analyzers.guest.annotations.reading import read
from analyzers.inference.command_lines import command_lines
from analyzers.inference.nouns import Confidence, Source
from analyzers.inference.terms import NoTermsError, Term, Terms
from analyzers.ports import Bench
from analyzers.vocabulary import Contract, Target

MAIN, MODULE = "__main__", "<module>"
ARGV = "sys.argv"


def is_script(target: Target) -> bool:
    """Whether a target is code outside functions."""
    return target.function in (MAIN, MODULE)


def script_terms(target: Target, bench: Bench) -> Terms:
    """The command lines of a script; raises ``NoTermsError`` for a module nobody wants run."""
    source = bench.source(target.path)
    annotated = read(source).module_test
    if target.function == MODULE and not annotated:
        raise NoTermsError("a module's own code is run where #@module_test says so")
    lines = command_lines(ast.parse(source))
    if not lines:
        return Terms(Contract(), {})
    constraint = f"anys({', '.join(map(_command_line, lines))})"
    sure = Confidence.CERTAIN if annotated else Confidence.STRONG
    term = Term(constraint, Source.FRAMEWORK, sure, f"{target.path}: its command line")
    return Terms(Contract({ARGV: constraint}), {ARGV: term})


def _command_line(words: list[str]) -> str:
    """The words of a command line, without the program's name, as a constraint."""
    return f"tuples({', '.join(words)})"
