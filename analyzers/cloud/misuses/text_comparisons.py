"""Answers that are no texts compared as texts, and texts compared as numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from analyzers import catalogue
from analyzers.catalogue.canonical_answers import enums_of, with_member
from analyzers.cloud import messages
from analyzers.cloud.api_answers import TEXT_TASKS, meaning_of, saying
from analyzers.cloud.branch_findings import BranchMessage, Proof, branch_finding
from analyzers.cloud.conditions.condition_comparisons import Comparison, comparisons
from analyzers.cloud.conditions.static_facts import constant, constants
from analyzers.cloud.misuses.misuse import Misuse, MisuseContext, constant_comparison
from analyzers.cloud.source_edits import SourceText, Splice
from analyzers.criteria import all_ran, decision_point, reached
from analyzers.rules.cloud_rules import MISUSE
from analyzers.vocabulary import BranchOutcome, Exchange, Finding, Level, Misses, Probe, Suggestion

ENUM, NUMBER = "enum-as-text", "number-as-text"
_MEMBERSHIP = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
_ABOUT_ENUMS = re.compile(r"likelihood|entit|adult|spoof|medical|violence|racy", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_ORDERS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<", ast.Gt: ">", ast.GtE: ">"}
_FLIPPED = {"<": ">", ">": "<"}


# ------------------------------------------------------- enums with their names


def enums_as_texts(case: MisuseContext) -> Iterator[Finding]:
    """Yield findings for members of enums that are compared with their names.

    Every member is put into the answers: where the answer is JSON or the name
    is asked for, one of them turns the comparison.
    """
    for comparison in comparisons(case.target, case.bench):
        named = _named(comparison)
        bases = case.askers(comparison.goal) if named is not None else []
        if named is None or not bases:
            continue
        subject, names = named
        api, members = _enum(bases, names)
        probes = [_answering(base, number) for base in bases for number in range(len(members))]
        always = case.unmoved(comparison, probes) if probes else None
        if always is not None:
            reason = messages.enum_as_text(api, sorted(names))
            patch = _by_name(comparison, subject)
            misuse = Misuse(ENUM, api, comparison, reason, always, probes, patch)
            yield constant_comparison(case.target, misuse)


def _named(comparison: Comparison) -> tuple[ast.expr, frozenset[str]] | None:
    """Return what is compared with names, and the names; ``None`` for anything else."""
    if not isinstance(comparison.operator, _MEMBERSHIP):
        return None
    for subject, other in comparison.sides:
        found = constants(other, comparison.names)
        alone = constant(other, comparison.names)
        if isinstance(comparison.operator, ast.In | ast.NotIn):
            names = found if other is comparison.right else None
        else:
            names = None if alone is None else frozenset({alone})
        if names is None:
            continue
        texts = frozenset(name for name in names if isinstance(name, str))
        if len(texts) == len(names) and _is_of_enum(subject, comparison.source):
            return subject, texts
    return None


def _is_of_enum(subject: ast.expr, source: SourceText) -> bool:
    """Return whether the words of an expression, or of its origins, name an enum."""
    waiting, seen = [subject], set[str]()
    while waiting:
        node = waiting.pop()
        if _ABOUT_ENUMS.search(ast.unparse(node)):
            return True
        fresh = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} - seen
        seen |= fresh
        waiting += _origins(fresh, source.tree)
    return False


def _origins(names: set[str], tree: ast.AST) -> Iterator[ast.expr]:
    """Yield what names are assigned, or taken from in loops."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names:
                yield value
            case ast.For(target=ast.Name(id=name), iter=value) if name in names:
                yield value
            case ast.comprehension(target=ast.Name(id=name), iter=value) if name in names:
                yield value
            case _:
                pass


def _enum(bases: Sequence[Probe], names: frozenset[str]) -> tuple[str, tuple[str, ...]]:
    """Return the API and the enum in its answers that has all these members."""
    apis = catalogue.load_catalogue().apis
    for exchange in (each for base in bases for each in base.script or () if each.api in apis):
        for members in enums_of(apis[exchange.api], exchange.answer):
            if names <= set(members):
                return exchange.api, members
    return "", ()


def _answering(base: Probe, number: int) -> Probe:
    apis = catalogue.load_catalogue().apis
    return base.answered(
        tuple(
            Exchange(each.api, "", with_member(apis[each.api], each.answer, number))
            if each.api in apis
            else each
            for each in base.script or ()
        )
    )


def _by_name(comparison: Comparison, subject: ast.expr) -> Suggestion | None:
    """``face.joy_likelihood == "LIKELY"`` → ``face.joy_likelihood.name == "LIKELY"``."""
    if not isinstance(subject, ast.Attribute | ast.Name | ast.Subscript):
        return None
    end = comparison.source.span(subject)[1]
    edit = comparison.source.edited([Splice(end, end, ".name")])
    if edit is None:
        return None
    return Suggestion(comparison.goal.path, edit.start_line, edit.end_line, edit.replacement)


# -------------------------------------------------------- numbers as they are spelled


def numbers_as_texts(case: MisuseContext) -> Iterator[Finding]:
    """Yield findings for texts of answers that are compared letter by letter with a number.

    The texts are numbers that satisfy the comparison and whose spelling does
    not; one whose spelling does, too, shows that the text is what is compared.
    """
    for comparison in comparisons(case.target, case.bench):
        literal = _numeric(comparison)
        bases = case.askers(comparison.goal) if literal is not None else []
        if literal is None or not bases:
            continue
        number, order = literal
        wrong, right = _spellings(number, order)
        whole = comparison.goal.whole(BranchOutcome.TRUE)
        for base in bases:
            probes = [probe for text in wrong if (probe := _reading(base, text)) is not None]
            control = _reading(base, right)
            if not probes or control is None:
                continue
            *runs, shown = case.bench.run([*probes, control])
            missed = all_ran(runs) and not any(reached(whole, run) for run in runs)
            asked = all(decision_point(whole, BranchOutcome.FALSE) in run.hits for run in runs)
            if missed and asked and reached(whole, shown):
                yield _spelled(case, comparison, number, wrong, probes)
                break


def _numeric(comparison: Comparison) -> tuple[str, str] | None:
    """Return a number in quotes that a text is compared with, and how."""
    order = _ORDERS.get(type(comparison.operator))
    for side in (comparison.right, comparison.left) if order else ():
        value = constant(side, comparison.names)
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            assert order is not None
            return value, order if side is comparison.right else _FLIPPED[order]
    return None


def _spellings(number: str, order: str) -> tuple[list[str], str]:
    """Return numbers that are ordered otherwise than their spelling, and one that is not."""
    limit, digits = float(number), len(number.partition(".")[0])
    if order == ">":
        tried = [str(10 ** (digits + more)) for more in range(3)]
        return [each for each in tried if each < number], str(10**digits - 1)
    tried = [str(10**fewer - 1) for fewer in range(1, digits)]
    return [each for each in tried if float(each) < limit and each > number], "0"


def _reading(base: Probe, text: str) -> Probe | None:
    """Return the probe with a text for whatever was read, heard or found in its input."""
    apis = catalogue.load_catalogue().apis
    script = tuple(
        Exchange(each.api, "", saying(meaning, each.answer, text))
        if each.api in apis
        and (meaning := meaning_of(apis[each.api])) is not None
        and meaning.task in TEXT_TASKS
        else each
        for each in base.script or ()
    )
    return None if script == base.script else base.answered(script)


def _spelled(
    case: MisuseContext, comparison: Comparison, number: str, wrong: list[str], probes: list[Probe]
) -> Finding:
    goal = comparison.goal.whole(BranchOutcome.TRUE)
    api = next(each.api for each in probes[0].script or ())
    words = BranchMessage(
        *messages.number_as_text(goal, comparison.text, number, wrong),
        {
            "misuse": NUMBER,
            "api": api,
            "line": goal.line,
            "comparison": comparison.text,
            "outcome": "false",
        },
    )
    proof = Proof(probes, Misses(goal, 1 / (len(probes) + 1)), f"{NUMBER}:{comparison.text}")
    return branch_finding(case.target, goal, MISUSE, Level.WARNING, words, proof)
