"""A finding of a program of the project as a pytest file: the program itself is the test."""

from __future__ import annotations

import ast

from analyzers.vocabulary import Finding, Program, Violates
from worker.report.asserted_conditions import UnsupportedCondition, asserted_condition
from worker.report.report_templates import fill

TEMPLATE = "program.py.j2"
_SEEDS = {"numpy": "numpy.random.seed(0)", "torch": "torch.manual_seed(0)"}


def program_of(finding: Finding) -> Program | None:
    """Return the program that shows a finding, if one does."""
    return next((probe.program for probe in finding.probes if probe.program is not None), None)


def program_test(finding: Finding, program: Program, test_name: str) -> str | None:
    """Return a test that fails where a finding stands; ``None`` if it cannot ask its condition."""
    tree = ast.parse(program.source)
    lines = [ast.unparse(each) for each in tree.body]
    imports = [
        line
        for line, each in zip(lines, tree.body, strict=True)
        if isinstance(each, ast.Import | ast.ImportFrom)
    ]
    helpers: tuple[str, ...] = ()
    condition = ""
    if isinstance(finding.criterion, Violates):
        condition = finding.criterion.condition
        try:
            helpers = asserted_condition(condition, []).helpers
        except UnsupportedCondition:
            return None
    words = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    words |= {"numpy"} if "np" in words else set()
    seeded = sorted(words & _SEEDS.keys())
    return fill(
        TEMPLATE,
        futures=[each for each in imports if "__future__" in each],
        modules=[
            "os",
            "random",
            "sys",
            *(each for each in seeded if f"import {each}" not in imports),
        ],
        imports=list(dict.fromkeys(each for each in imports if "__future__" not in each)),
        helpers=helpers,
        test_name=test_name,
        seeded=[_SEEDS[name] for name in seeded],
        program="\n".join(each for each in lines if each not in imports),
        condition=condition,
    )
