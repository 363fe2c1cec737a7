"""Which functions carry annotations, and what they say about being tested."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from analyzers.guest.annotations.annotation_reader import PACKAGE, read
from analyzers.guest.annotations.constraints import Annotations

_SAID = re.compile(
    r"^[ \t]*#+[ \t]*@[ \t]*(?:arg|require|ensure|returns|generator|exclude|timeout|cc_example"
    r"|module_test)\b",
    re.MULTILINE,
)
_MEANT = re.compile(r"@\s*(?:arg|require|ensure|timeout|cc_example)\s*\(")
_GENERATOR = re.compile(r"objs\(\s*([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class AnnotatedFunctions:
    """The annotations of one file, by qualified names of functions.

    ``generators`` are the functions that draw values for each function's
    arguments.  ``kept_out`` are not to be tested: generators and what is
    excluded.
    """

    functions: frozenset[str] = frozenset()
    kept_out: frozenset[str] = frozenset()
    generators: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    module_test: bool = False

    def __bool__(self) -> bool:
        """Whether anything is annotated."""
        return bool(self.functions or self.kept_out or self.module_test)


def mentions_annotations(source: str) -> bool:
    """Whether a text may carry annotations, told without parsing it."""
    return ("@" in source and _SAID.search(source) is not None) or PACKAGE in source


def file_annotations(source: str) -> AnnotatedFunctions:
    """What a file's annotations say; nothing where Python 3 cannot parse it."""
    if not mentions_annotations(source):
        return AnnotatedFunctions()
    try:
        known = read(source.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return AnnotatedFunctions()
    meant = {p.function for p in known.problems if _MEANT.match(p.annotation)}
    kept_out = {name for name, each in known.functions.items() if each.exclude or each.generator}
    functions = {name for name, each in known.functions.items() if each} | meant
    return AnnotatedFunctions(
        functions=frozenset(functions - kept_out),
        kept_out=frozenset(kept_out),
        generators={name: _generators(each) for name, each in known.functions.items()},
        texts={name: "\n".join(_texts(each)) for name, each in known.functions.items()},
        module_test=known.module_test,
    )


def changed_annotations(head: AnnotatedFunctions, base: AnnotatedFunctions) -> frozenset[str]:
    """The functions whose annotations differ."""
    return frozenset(
        name for name in head.functions if head.texts.get(name) != base.texts.get(name)
    )


def _generators(known: Annotations) -> frozenset[str]:
    return frozenset(name for arg in known.args for name in _GENERATOR.findall(arg.text))


def _texts(known: Annotations) -> Iterator[str]:
    yield from (arg.text for arg in known.args)
    yield from (clause.source for clause in (*known.requires, *known.ensures))
    yield repr((known.returns, known.timeout, known.cc_examples))
