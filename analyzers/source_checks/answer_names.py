"""Attributes, keys and values that the SDK of a language model does not have.

Newer SDKs and other servers have fields more than ours, so a name is told only where it is
almost one that there is, or is one of the list's elements or of the other kind of answer.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence

from analyzers.guest.provenance.bindings import near
from analyzers.rules.cloud_rules import CRASH, MISUSE
from analyzers.rules.source_messages import subscripted, unknown_attribute, unknown_word
from analyzers.source_checks.answer_shapes import SILENCED, places_with_answers
from analyzers.source_checks.answer_values import AnswerValue, FileScope, is_dictionary
from analyzers.source_checks.defects import Defect
from analyzers.source_checks.function_walk import FunctionWalk
from analyzers.source_checks.sdk_declarations import (
    NOTHING,
    classes,
    element,
    enums,
    members,
    methods,
    named,
    short,
    words,
)
from analyzers.vocabulary import Level

_CLIENTS = frozenset(
    {"Anthropic", "AsyncAnthropic", "AsyncAzureOpenAI", "AsyncGroq", "AsyncOpenAI", "AzureOpenAI",
     "Groq", "OpenAI"}
)  # fmt: skip
_LIKE = "google.genai"
_ASKING = frozenset({"hasattr", "isinstance", "getattr", "type"})


@functools.lru_cache(maxsize=64)
def unknown_names(text: str) -> Sequence[Defect]:
    """Return the names that no answer has, each once a function."""
    lines = text.splitlines()
    found: dict[str, Defect] = {}
    scope, places = places_with_answers(text)
    for name, function in places:
        walk = FunctionWalk(scope, function)
        for node in walk.expressions():
            if walk.is_caught("AttributeError") or walk.is_caught("TypeError"):
                continue
            if isinstance(node, ast.expr) and not SILENCED.search(lines[node.lineno - 1]):
                for defect in _of(node, walk, name):
                    found.setdefault(defect.key, defect)
    return tuple(found.values())


def _of(node: ast.expr, walk: FunctionWalk, function: str) -> Iterator[Defect]:
    match node:
        case ast.Attribute(value=owner, ctx=ast.Load()):
            yield from _attribute(node, walk.values.of(owner), walk, function)
            yield from _member(node, walk.values.scope, function)
        case ast.Subscript(value=owner, slice=ast.Constant(value=str(key)), ctx=ast.Load()):
            yield from _key(node, walk.values.of(owner), key, (walk.values.scope, function))
        case ast.Compare(
            left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[ast.Constant(value=str(word))]
        ):
            yield from _word(node, walk.values.of(left), word, function)
        case _:
            return


def _attribute(
    node: ast.Attribute, held: AnswerValue | None, walk: FunctionWalk, function: str
) -> Iterator[Defect]:
    """Yield an attribute that none of the classes of a value has."""
    if held is None or is_dictionary(held) or _is_asked(walk):
        return
    code, name = ast.unparse(node), node.attr
    inside = next((e for e in members(element(held.kind)) if name in classes().get(e, {})), "")
    if inside and set(held.members) - {NOTHING} == {f"list[{element(held.kind)}]"}:
        if name not in dir(list):
            sdk = classes()[inside][name].sdk
            meant = f"It is an attribute of the list's elements, `{short(inside)}`."
            yield _defect(node, function, unknown_attribute(code, "list", sdk, meant))
        return
    kinds = [each for each in held.members if each != NOTHING]
    if not kinds or any(kind not in classes() or _has(kind, name) for kind in kinds):
        return
    owner = kinds[0]
    others = [each for each in classes() if _is_sibling(each, owner) and name in classes()[each]]
    meant = near(name, classes()[owner])
    sdk = next(iter(classes()[owner].values())).sdk
    if meant:
        said = f"It has `{meant}`."
        yield _defect(node, function, unknown_attribute(code, short(owner), sdk, said))
    elif others and len(kinds) == 1:
        said = f"`{others[0]}` has it: this is `{owner}`."
        yield _defect(node, function, unknown_attribute(code, short(owner), sdk, said))


def _is_sibling(one: str, other: str) -> bool:
    """Return whether two classes of one SDK have the same name, as the parts of a stream do."""
    package = one.partition(".")[0] == other.partition(".")[0]
    return one != other and package and short(one) == short(other)


def _has(kind: str, name: str) -> bool:
    known = (*classes()[kind], *methods().get(kind, ()))
    return name in known or name.startswith(("_", "model_", "to_")) or name in _OF_MODELS


_OF_MODELS = frozenset({"json", "dict", "copy", "construct", "schema", "get"})


def _is_asked(walk: FunctionWalk) -> bool:
    """Return whether a condition asks for the class or the attributes of something."""
    calls = (node for test in walk.guards for node in ast.walk(test) if isinstance(node, ast.Call))
    return any(isinstance(call.func, ast.Name) and call.func.id in _ASKING for call in calls)


def _member(node: ast.Attribute, scope: FileScope, function: str) -> Iterator[Defect]:
    """Yield a member that an enumeration has under a longer or another name."""
    enum = named(scope.dotted(node.value))
    known = enums().get(enum, ())
    if not known or node.attr in known or not node.attr.isidentifier():
        return
    longer = [each for each in known if each.endswith(f"_{node.attr}")]
    folded = [each for each in known if each.casefold() == node.attr.casefold()]
    meant = next(iter([*folded, *longer]), "") or near(node.attr, known)
    if meant and node.attr.upper() == node.attr:
        words_ = unknown_attribute(ast.unparse(node), short(enum), _LIKE, f"It has `{meant}`.")
        yield _defect(node, function, words_)


def _key(
    node: ast.Subscript, held: AnswerValue | None, key: str, place: tuple[FileScope, str]
) -> Iterator[Defect]:
    """Yield an answer of a known client that is read like a dictionary."""
    scope, function = place
    owner = held.members[0] if held is not None else ""
    own = bool(scope.called_classes & _CLIENTS) or owner.startswith(_LIKE)
    if held is None or not own or not held.root.line or is_dictionary(held):
        return
    if len(held.members) == 1 and key in classes().get(owner, {}):
        sdk = classes()[owner][key].sdk
        yield _defect(node, function, subscripted(ast.unparse(node), short(owner), sdk, key))


def _word(
    node: ast.Compare, held: AnswerValue | None, word: str, function: str
) -> Iterator[Defect]:
    """Yield a comparison with a text that the field has in another spelling, or another API has."""
    if held is None or not held.trail:
        return
    owner, field = held.trail[-1]
    known = words().get(f"{owner}.{field}", ())
    folded = [each for each in known if each.casefold() == word.casefold()]
    foreign = any(
        word in each
        for name, each in words().items()
        if name.endswith("_reason") and not name.startswith(owner.partition(".")[0])
    )
    if not known or word in known or not (folded or (field.endswith("_reason") and foreign)):
        return
    declared = classes()[owner][field]
    code, kind = ast.unparse(node), f"unknown-word:{ast.unparse(node)}"
    yield Defect(
        MISUSE.id,
        Level.WARNING,
        function,
        node.lineno,
        kind,
        unknown_word(code, f"{field}: {declared.declared}", declared.sdk,
                     ", ".join(f"`{each}`" for each in (folded or known)[:8])),
        {"misuse": "unknown-word", "api": short(owner), "comparison": code},
        key=f"{function}: {kind}",
        end_line=node.end_lineno or node.lineno,
    )  # fmt: skip


def _defect(node: ast.expr, function: str, said: tuple[str, str]) -> Defect:
    code = ast.unparse(node)
    exception = "TypeError" if isinstance(node, ast.Subscript) else "AttributeError"
    return Defect(
        CRASH.id,
        CRASH.level,
        function,
        node.end_lineno or node.lineno,
        f"{exception}:{code}",
        said,
        {"exception": exception, "answer": {}, "run": False},
        key=f"{function}: {exception} {code}",
    )
