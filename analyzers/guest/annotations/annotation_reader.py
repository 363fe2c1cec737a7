"""Reads the annotations of a file: comments above functions, and decorators that say the same."""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .checking import TopLevelNames, unbound_names
from .constraints import (
    AnnotationClause,
    AnnotationProblem,
    Annotations,
    ArgumentAnnotation,
    Constraint,
    FileAnnotations,
    Span,
)
from .syntax import AnnotationError, parse, parse_condition, span_of

Definition = Union[ast.FunctionDef, ast.AsyncFunctionDef]
PACKAGE = "assayer_annotations"
WORDS = (
    "arg", "require", "ensure", "returns", "generator", "exclude", "timeout", "cc_example",
    "module_test",
)  # fmt: skip
_BARE = ("generator", "exclude", "module_test")
_START = re.compile(r"@\s*([A-Za-z_]\w*)")
_ARG = re.compile(r"@\s*arg\s*\(\s*([A-Za-z_]\w*|\*{1,2}[A-Za-z_]\w*)\s*\)\s*:")
_RETURNS = re.compile(r"@\s*returns\s*:")
_MODULE_LINES = 10


@lru_cache(maxsize=64)
def read(source: str) -> FileAnnotations:
    """Return what the annotations of a file say; raises ``SyntaxError`` where it is no Python."""
    lines = source.splitlines()
    functions: Dict[str, Annotations] = {}
    tree = ast.parse(source)
    decorating = _Decorating(tree)
    readers: List[_Reader] = []
    for name, node in definitions(tree):
        args = node.args
        named = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        starred = [each for each in (args.vararg, args.kwarg) if each is not None]
        reader = _Reader(name, [each.arg for each in (*named, *starred)])
        for words in _above(lines, node):
            reader.say(words)
        for call in node.decorator_list:
            decorated = decorating.words(call, source)
            if decorated is not None:
                reader.say(decorated)
        if reader.found or reader.problems:
            functions[name] = reader.annotations()
            readers.append(reader)
    problems = _problems(tree, readers, functions)
    module_test = any(re.match(r"\s*#\s*@\s*module_test\b", line) for line in lines[:_MODULE_LINES])
    return FileAnnotations(functions, module_test, problems)


def _problems(
    tree: ast.Module, readers: Sequence[_Reader], functions: Mapping[str, Annotations]
) -> List[AnnotationProblem]:
    problems = [problem for reader in readers for problem in reader.problems]
    names = TopLevelNames(tree)
    marked = frozenset(name for name, said in functions.items() if said.generator)
    for reader in readers:
        said = functions[reader.function]
        for text, problem, span in unbound_names(said, reader.parameters, names, marked):
            place = span or Span(1, 1, 1, 2)
            problems.append(AnnotationProblem(text, problem, place, reader.function))
    return sorted(problems, key=lambda each: (each.span.line, each.span.column))


def definitions(tree: ast.Module) -> Iterator[Tuple[str, Definition]]:
    """The functions of a file by their qualified names."""
    waiting: List[Tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        prefix, around = waiting.pop()
        for node in ast.iter_child_nodes(around):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield prefix + node.name, node
                waiting.append((f"{prefix}{node.name}.<locals>.", node))
            elif isinstance(node, ast.ClassDef):
                waiting.append((f"{prefix}{node.name}.", node))
            elif not isinstance(node, ast.expr):
                waiting.append((prefix, node))


@dataclass(frozen=True)
class _Words:
    """One annotation: its text, and where each of its lines begins in the file."""

    text: str
    starts: Tuple[Tuple[int, int], ...]

    def at(self, span: Span, line: int = 1, column: int = 1) -> Span:
        """A place in the part of the text that begins at ``line`` and ``column``."""
        first = self._point(span.line + line - 1, span.column + (column - 1) * (span.line == 1))
        last = self._point(
            span.end_line + line - 1, span.end_column + (column - 1) * (span.end_line == 1)
        )
        return Span(*first, *last)

    def _point(self, line: int, column: int) -> Tuple[int, int]:
        number, offset = self.starts[min(line, len(self.starts)) - 1]
        return number, offset + column - 1

    @property
    def whole(self) -> Span:
        texts = self.text.split("\n")
        return self.at(Span(1, 1, len(texts), len(texts[-1]) + 1))


def _above(lines: Sequence[str], node: Definition) -> Iterator[_Words]:
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    numbers: List[int] = []
    number = first - 1
    while number >= 1 and (not lines[number - 1].strip() or _is_comment(lines[number - 1])):
        numbers.insert(0, number)
        number -= 1
    decorated = {
        line
        for each in node.decorator_list
        for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)
    }
    numbers += [n for n in range(first, node.lineno) if n not in decorated]
    comments = [n for n in numbers if _is_comment(lines[n - 1])]
    while comments:
        words, used = _joined(lines, comments)
        comments = comments[used:]
        if words is not None:
            yield words


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _joined(lines: Sequence[str], numbers: Sequence[int]) -> Tuple[Optional[_Words], int]:
    texts: List[str] = []
    starts: List[Tuple[int, int]] = []
    for number in numbers:
        line = lines[number - 1]
        hashes = len(line) - len(line.lstrip())
        body = line[hashes:].lstrip("#")
        blank = len(body) - len(body.lstrip()) if not texts else 0
        if texts and _START.match(body.strip()):
            break
        texts.append(body[blank:])
        starts.append((number, len(line) - len(body) + blank + 1))
        if not texts[0].startswith("@"):
            return None, 1
        bare = re.sub(r"'(\\.|[^'\\\n])*'|\"(\\.|[^\"\\\n])*\"", "", "\n".join(texts))
        if (
            sum(bare.count(c) for c in "([{") - sum(bare.count(c) for c in ")]}")
        ) <= 0 and not "".join(texts).rstrip().endswith(":"):
            break
    return _Words("\n".join(texts).rstrip(), tuple(starts)), len(texts)


@dataclass
class _Reader:
    function: str
    parameters: Sequence[str]
    found: bool = False
    args: List[ArgumentAnnotation] = field(default_factory=list)
    requires: List[AnnotationClause] = field(default_factory=list)
    ensures: List[AnnotationClause] = field(default_factory=list)
    returns: Optional[Constraint] = None
    flags: List[str] = field(default_factory=list)
    timeout: Optional[float] = None
    examples: List[str] = field(default_factory=list)
    problems: List[AnnotationProblem] = field(default_factory=list)

    def annotations(self) -> Annotations:
        return Annotations(
            args=tuple(self.args),
            requires=tuple(self.requires),
            ensures=tuple(self.ensures),
            returns=self.returns,
            generator="generator" in self.flags,
            exclude="exclude" in self.flags,
            timeout=self.timeout,
            cc_examples=tuple(self.examples),
        )

    def say(self, words: _Words) -> None:
        named = _START.match(words.text)
        word = named[1] if named else ""
        if word not in WORDS:
            near = difflib.get_close_matches(word, WORDS, 1, 0.8)
            if near:
                self._wrong(words, f"there is no annotation @{word}; did you mean @{near[0]}?")
            return
        self.found = True
        try:
            getattr(self, f"_{word}")(words)
        except AnnotationError as wrong:
            self._wrong(words, wrong.problem, wrong.span)

    def _wrong(self, words: _Words, problem: str, span: Optional[Span] = None) -> None:
        self.problems.append(
            AnnotationProblem(words.text, problem, span or words.whole, self.function)
        )

    def _arg(self, words: _Words) -> None:
        head = _ARG.match(words.text)
        if head is None:
            raise AnnotationError("write @arg(NAME): CONSTRAINT", words.whole)
        name = head[1].lstrip("*")
        if name not in self.parameters:
            near = difflib.get_close_matches(name, self.parameters, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise AnnotationError(f"the function has no parameter {name!r}{hint}", words.whole)
        if any(arg.name == name for arg in self.args):
            raise AnnotationError(f"{name} has an annotation already", words.whole)
        constraint = self._constraint(words, head.end())
        self.args.append(ArgumentAnnotation(name, constraint, words.text, words.whole))

    def _returns(self, words: _Words) -> None:
        head = _RETURNS.match(words.text)
        if head is None:
            raise AnnotationError("write @returns: CONSTRAINT", words.whole)
        self.returns = self._constraint(words, head.end())

    def _constraint(self, words: _Words, start: int) -> Constraint:
        text = words.text[start:]
        blank = len(text) - len(text.lstrip())
        start, text = start + blank, text.strip()
        if not text:
            raise AnnotationError("a constraint is missing", words.whole)
        try:
            return parse(text)
        except AnnotationError as wrong:
            line = words.text[:start].count("\n") + 1
            column = start - (words.text.rfind("\n", 0, start) + 1) + 1
            raise AnnotationError(wrong.problem, words.at(wrong.span, line, column)) from wrong

    def _require(self, words: _Words) -> None:
        self.requires.append(self._condition(words))

    def _ensure(self, words: _Words) -> None:
        self.ensures.append(self._condition(words))

    def _condition(self, words: _Words) -> AnnotationClause:
        start, text = _inside(words)
        try:
            return AnnotationClause(" ".join(parse_condition(text).split("\n")), words.whole)
        except AnnotationError as wrong:
            raise AnnotationError(wrong.problem, words.at(wrong.span, 1, start + 1)) from wrong

    def _timeout(self, words: _Words) -> None:
        text = _inside(words)[1]
        try:
            self.timeout = float(text)
        except ValueError:
            raise AnnotationError("@timeout takes a number of seconds", words.whole) from None
        if not 0 < self.timeout < float("inf"):
            self.timeout = None
            raise AnnotationError("@timeout takes a number of seconds above 0", words.whole)

    def _cc_example(self, words: _Words) -> None:
        if self.function.rpartition(".")[2] != "__init__":
            raise AnnotationError("@cc_example stands above a constructor (__init__)", words.whole)
        text = parse_condition(_inside(words)[1])
        if not isinstance(ast.parse(text, mode="eval").body, (ast.List, ast.Tuple, ast.Dict)):
            raise AnnotationError(
                "@cc_example takes a list of arguments, or a dictionary", words.whole
            )
        self.examples.append(text)

    def _flag(self, words: _Words) -> None:
        named = _START.match(words.text)
        word = named[1] if named else ""
        if words.text[len(named[0] if named else "") :].strip() not in ("", "()"):
            raise AnnotationError(f"@{word} takes nothing", words.whole)
        self.flags.append(word)

    _generator = _exclude = _module_test = _flag


def _inside(words: _Words) -> Tuple[int, str]:
    opening, closing = words.text.find("("), words.text.rfind(")")
    if opening < 0 or closing < opening:
        raise AnnotationError("brackets are missing, or not closed", words.whole)
    return opening + 1, words.text[opening + 1 : closing]


class _Decorating:
    def __init__(self, tree: ast.Module) -> None:
        self._names: Dict[str, str] = {}
        self._modules: List[str] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == PACKAGE:
                self._names.update((a.asname or a.name, a.name) for a in node.names)
            elif isinstance(node, ast.Import):
                self._modules += [a.asname or a.name for a in node.names if a.name == PACKAGE]

    def words(self, node: ast.expr, source: str) -> Optional[_Words]:
        """The annotation that a decorator stands for, as a comment would say it."""
        called = node.func if isinstance(node, ast.Call) else node
        word = self._word(called)
        if word not in WORDS:
            return None
        args = node.args if isinstance(node, ast.Call) else []
        parts = [ast.get_source_segment(source, arg) or "" for arg in args]
        text = _as_comment(word, args, parts)
        span = span_of(node)
        begin = (span.line, span.column)
        return _Words(text, tuple([begin] * (text.count("\n") + 1)))

    def _word(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return self._names.get(node.id, "")
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return node.attr if node.value.id in self._modules else ""
        return ""


def _as_comment(word: str, args: Sequence[ast.expr], parts: Sequence[str]) -> str:
    first = args[0].value if args and isinstance(args[0], ast.Constant) else None
    if word == "arg" and len(args) == 2 and isinstance(first, str):
        return f"@arg({first}): {parts[1]}"
    if word == "returns" and len(args) == 1:
        return f"@returns: {parts[0]}"
    if word in _BARE:
        return f"@{word}"
    if word in ("require", "ensure") and len(args) == 1:
        if isinstance(first, str):
            return f"@{word}({first})"
        if isinstance(args[0], ast.Lambda):
            return f"@{word}({ast.unparse(args[0].body)})"
    return f"@{word}({', '.join(parts)})"
