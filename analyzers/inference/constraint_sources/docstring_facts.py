"""The entries of a docstring that describe parameters."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from analyzers.guest.annotations.constraints import Argument, Constraint, Expression
from analyzers.inference.constraint_sources import parameter_uses
from analyzers.inference.constraint_sources.module_scope import dotted_name
from analyzers.inference.constraints.constraint_builders import build, build_if_possible, one_of
from analyzers.inference.constraints.dimensions import dims_of, is_variadic
from analyzers.inference.facts import (
    Confidence,
    ConstraintSource,
    Fact,
    FunctionContext,
    InferredConstraint,
    InferredRequirement,
    parse_module,
)
from analyzers.inference.function_lookup import sibling_method

from .docstring_phrases import (
    MAY_BE_EMPTY,
    ParameterDescription,
    Phrase,
    least_size,
    read_description,
)

_HEADING = re.compile(
    r"(args|arguments|parameters|params|inputs?|keyword args|keyword arguments|shapes?):?$", re.I
)
_OTHER = re.compile(
    r"(returns?|yields?|raises|examples?|notes?|references|outputs?|see also|attributes"
    r"|warnings?):?$",
    re.I,
)
_GOOGLE = re.compile(
    r"[-*]?\s*`{0,2}\*{0,2}(?P<names>\w+(?:\s*,\s*\*{0,2}\w+)*)`{0,2}\s*(?:\((?P<type>.*?)\))?\s*(?::|--|-)\s+(?P<text>.*)$"
)
_GOOGLE_NESTED = re.compile(
    r"[-*]?\s*`{0,2}\*{0,2}(?P<names>\w+)`{0,2}\s*\((?P<type>.*)\)\s*:\s*(?P<text>.*)$"
)
_GOOGLES = (_GOOGLE_NESTED, _GOOGLE)
_NUMPY = re.compile(
    r"`{0,2}\*{0,2}(?P<names>\w+(?:\s*,\s*\*{0,2}\w+)*)`{0,2}\s*(?::\s*(?P<type>.+))?$"
)
_PARAM = re.compile(r":param\s+(?:(?P<type>[^:]+?)\s+)?\*{0,2}(?P<name>\w+)\s*:\s*(?P<text>.*)$")
_TYPE = re.compile(r":type\s+(?P<name>\w+)\s*:\s*(?P<type>.*)$")
_EPYDOC = re.compile(r"@param\s+(?P<name>\w+)\s*:\s*(?P<text>.*)$")


@dataclass(frozen=True, slots=True)
class DocstringEntry:
    """One description: the parameters it is of, the type as written, the rest."""

    names: tuple[str, ...]
    type: str
    text: str


def docstring_entries(docstring: str) -> Iterator[DocstringEntry]:
    """The descriptions of parameters in a docstring of any of the styles."""
    lines = docstring.expandtabs().splitlines()
    found = list(_fields(lines))
    for numpy, block in _blocks(lines):
        found += _entries(block, *([_NUMPY] if numpy else _GOOGLES))
    yield from found or _entries(lines, *_GOOGLES)


def _fields(lines: list[str]) -> Iterator[DocstringEntry]:
    texts: dict[str, str] = {}
    types: dict[str, str] = {}
    last = ""
    for line in lines:
        stripped = line.strip()
        param = _PARAM.match(stripped) or _EPYDOC.match(stripped)
        typed = _TYPE.match(stripped)
        if param is not None:
            last = param["name"]
            texts[last] = param["text"]
            given = param.groupdict().get("type")
            if given:
                types[last] = given
        elif typed is not None:
            types[typed["name"]], last = typed["type"], ""
        elif stripped.startswith((":", "@")):
            last = ""
        elif last and stripped:
            texts[last] += f" {stripped}"
    for name in {**texts, **types}:
        yield DocstringEntry((name,), types.get(name, ""), texts.get(name, ""))


def _blocks(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    number = 0
    while number < len(lines):
        heading = lines[number].strip()
        if not _HEADING.match(heading):
            number += 1
            continue
        after = lines[number + 1].strip() if number + 1 < len(lines) else ""
        numpy = len(after) > 2 and set(after) <= {"-", "="}
        if not numpy and not heading.endswith(":"):
            number += 1
            continue
        start = number + (2 if numpy else 1)
        end = _end(lines, start, _indent(lines[number]), numpy=numpy)
        yield numpy, lines[start:end]
        number = max(end, start)


def _end(lines: list[str], start: int, margin: int, *, numpy: bool) -> int:
    for number in range(start, len(lines)):
        line = lines[number]
        if not line.strip():
            continue
        if _indent(line) <= margin and (
            _OTHER.match(line.strip()) or _HEADING.match(line.strip()) or not numpy
        ):
            return number
    return len(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _entries(block: list[str], *patterns: re.Pattern[str]) -> Iterator[DocstringEntry]:
    margin = min((_indent(line) for line in block if line.strip()), default=0)
    found: list[tuple[re.Match[str], list[str]]] = []
    for line in block:
        stripped = line.strip()
        heads = [each.match(stripped) for each in patterns if stripped and _indent(line) == margin]
        head = next(filter(None, heads), None)
        if head is not None:
            found.append((head, []))
        elif found and stripped:
            found[-1][1].append(stripped)
    for head, rest in found:
        names = tuple(name.strip(" *") for name in head["names"].split(","))
        text = " ".join([head.groupdict().get("text") or "", *rest])
        yield DocstringEntry(names, head["type"] or "", text.strip())


_IN_PROSE = re.compile(
    r"\b(?P<name>[A-Za-z_]\w*)`{0,2}\s+(?:of shape\s+|with shape\s+)?`{0,2}"
    r"(?P<text>\((?P<dims>[\w*.]+\s*,[\w*.,\s]*)\))"
)
_NO_SIZE = re.compile(
    r"optional|default|required|none|tensor|array|ndarray|list|tuple|str|string|int|float|bool",
    re.I,
)
_SENTENCE = re.compile(r"\.\s|\n\s*\n|;")


def prose_entries(docstring: str, names: Collection[str]) -> Iterator[DocstringEntry]:
    """The shapes that sentences give to parameters: ``mean of x (B, T, D) where mask (B, T)``."""
    found = [each for each in _IN_PROSE.finditer(docstring) if each["name"] in names]
    ends = [each.start() for each in found[1:]] + [len(docstring)]
    for match, end in zip(found, ends, strict=False):
        words = [word.strip() for word in match["dims"].split(",") if word.strip()]
        if not any(map(_NO_SIZE.fullmatch, words)):
            rest = _SENTENCE.split(docstring[match.start("text") : end], maxsplit=1)[0]
            yield DocstringEntry((match["name"],), "", " ".join(rest.split()))


_MODULES = {"torch": "tensors", "np": "np_arrays", "numpy": "np_arrays", "jnp": "jax_arrays"}
_SIZED = ("randn", "rand", "zeros", "ones", "empty", "random.rand", "random.randn", "random.random")
_WITHIN = {
    "rand": (0, 1),
    "zeros": (0, 0),
    "ones": (1, 1),
    "random.rand": (0, 1),
    "random.random": (0, 1),
}


def doctest_arguments(subject: FunctionContext, docstring: str) -> Iterator[tuple[str, Constraint]]:
    """The parameters that examples give, each with exactly the value given."""
    known: dict[str, ast.expr] = {}
    for tree in _examples(docstring):
        for node in tree.body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                known[dotted_name(node.targets[0])] = node.value
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and _is_of(call, subject):
                    yield from _arguments(call, subject, known)


def _examples(docstring: str) -> Iterator[ast.Module]:
    try:
        examples = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        return
    for each in examples:
        tree = parse_module(each.source)
        if tree is not None:
            yield tree


def _is_of(call: ast.Call, subject: FunctionContext) -> bool:
    name = dotted_name(call.func).rpartition(".")[2]
    if subject.owner is not None and subject.node.name == "__init__":
        return name == subject.owner.name
    return name == subject.node.name


def _arguments(
    call: ast.Call, subject: FunctionContext, known: dict[str, ast.expr]
) -> Iterator[tuple[str, Constraint]]:
    if any(isinstance(each, ast.Starred) for each in call.args):
        return
    names = [arg.arg for arg in subject.parameters]
    pairs = [*zip(names, call.args, strict=False)]
    pairs += [(each.arg, each.value) for each in call.keywords if each.arg in names]
    for name, value in pairs:
        found = exactly(known.get(dotted_name(value), value))
        if found is not None:
            yield name, found


def exactly(node: ast.expr) -> Constraint | None:
    """The value of a literal, or arrays like those that a library's call makes."""
    try:
        value = ast.literal_eval(node)
        if isinstance(value, int) and not isinstance(value, bool):
            return build("ints", min=value, max=value)
        if isinstance(value, float):
            return build_if_possible("floats", min=value, max=value)
        return one_of([value]) if isinstance(value, (str, bool, list, tuple, type(None))) else None
    except (ValueError, TypeError, SyntaxError):
        return _array(node) if isinstance(node, ast.Call) else None


def _array(node: ast.Call) -> Constraint | None:
    module, _, word = dotted_name(node.func).partition(".")
    kind = _MODULES.get(module)
    if kind is None:
        return None
    if word == "randint" and len(node.args) >= 2:
        size = _sizes([node.args[-1]])
        bounds = _sizes(list(node.args[:-1]))
        if not size or not bounds or kind != "tensors":
            return None
        low, high = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
        return build_if_possible(kind, dtype="int64", shape=size, min=low, max=high - 1)
    if word not in _SIZED:
        return None
    sizes = _sizes(list(node.args))
    least, most = _WITHIN.get(word, (None, None))
    dtype = "float64" if kind == "np_arrays" else "float32"
    dtypes = any(each.arg == "dtype" for each in node.keywords)
    if not sizes or dtypes:
        return None
    return build_if_possible(kind, dtype=dtype, shape=sizes, min=least, max=most)


def _sizes(nodes: list[ast.expr]) -> tuple[int, ...]:
    try:
        values = [ast.literal_eval(node) for node in nodes]
    except (ValueError, TypeError, SyntaxError):
        return ()
    flat = list(values[0]) if len(values) == 1 and isinstance(values[0], (tuple, list)) else values
    return tuple(flat) if all(type(each) is int for each in flat) else ()


_SAME = re.compile(r"same (?:shape|size|dimensions?) as (?:the )?[`'\"]*(?P<name>\w+)", re.I)


def facts(subject: FunctionContext) -> Iterator[Fact]:
    """A constraint for each parameter that the docstring describes; its examples as calls.

    A shape with the word that it is one, a range, or a list of values is
    ``LIKELY``, a type alone a ``GUESS``.  A constructor is described by its
    class too.
    """
    text = docstring(subject)
    names = {arg.arg for arg in subject.parameters}
    where = f"{subject.path}:{subject.node.lineno}"
    shapes: dict[str, Argument] = {}
    listed = list(docstring_entries(text))
    described = {name for entry in listed for name in entry.names}
    arrays = {name: parameter_uses.array_kind(subject, name) for name in names}
    told = prose_entries(text, {name for name in names - described if arrays[name]})
    for entry in (*listed, *told):
        for name in names.intersection(entry.names):
            kind = arrays[name] or "np_arrays"
            found = list(read_description(ParameterDescription(name, entry.type, entry.text, kind)))
            match = _SAME.search(entry.text)
            alike = shapes.get(match["name"]) if match is not None else None
            if alike is not None:
                found.append(Phrase(build(kind, shape=alike), Confidence.LIKELY))
            for each in found:
                shape = each.constraint["shape"]
                if shape is not None:
                    shapes[name] = shape
                    yield from _sizes_of(name, shape, entry, text, where)
                yield InferredConstraint(
                    name, each.constraint, ConstraintSource.DOCSTRING, each.confidence, where
                )
    for name, constraint in doctest_arguments(subject, text):
        yield InferredConstraint(
            name, constraint, ConstraintSource.DOCUMENT, Confidence.LIKELY, where
        )


def _sizes_of(
    name: str, shape: Argument, entry: DocstringEntry, docstring: str, where: str
) -> Iterator[InferredRequirement]:
    """Yield the least sizes that a docstring says: ``n >= 0``, "may be empty"."""
    for place, dim in enumerate(dims_of(shape) or ()):
        if is_variadic(dim):
            return
        word = dim.value if isinstance(dim, Expression) else None
        least = least_size(word, docstring) if isinstance(word, str) else None
        if least is None and place == 0 and MAY_BE_EMPTY.search(entry.text):
            least = 0
        if least not in (None, 1):
            yield InferredRequirement(
                f"{name}.shape[{place}] >= {least}",
                ConstraintSource.DOCSTRING,
                Confidence.LIKELY,
                where,
            )


def docstring(subject: FunctionContext) -> str:
    """A function's docstring; for a constructor with that of its class."""
    own = ast.get_docstring(subject.node) or ""
    if subject.owner is not None and subject.node.name == "__init__":
        return f"{ast.get_docstring(subject.owner) or ''}\n\n{own}"
    if subject.owner is not None and subject.node.name == "__call__" and not own:
        forward = sibling_method(subject, "forward")
        return ast.get_docstring(forward.node) or "" if forward is not None else ""
    return own
