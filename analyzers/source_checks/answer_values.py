"""Values that follow from a request to a model, or from an annotation, in the text of a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from analyzers.source_checks.sdk_declarations import (
    NOTHING,
    Request,
    classes,
    element,
    members,
    named,
    requests,
    results,
    short,
    unions,
)

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef
DICTIONARIES = "bedrock-runtime."
"""The module of answers that are dictionaries."""
_WRAPPERS = frozenset({"Optional", "Annotated", "Awaitable", "Coroutine"})
_STREAMS = frozenset(
    {"Stream", "AsyncStream", "Iterator", "Iterable", "AsyncIterator", "AsyncIterable",
     "Generator", "AsyncGenerator", "List", "list", "Sequence"}
)  # fmt: skip
_PASSED_ON = frozenset({"iter", "list", "reversed", "tuple", "aiter"})
_DEEPEST = 3
_PACKAGES = (
    "anthropic", "any_llm", "azure.ai.inference", "boto3", "google.genai", "google.generativeai",
    "groq", "litellm", "openai", "vertexai",
)  # fmt: skip
_OF_OPENAI = frozenset({"OpenAI", "AsyncOpenAI"})
_OF_AZURE = frozenset({"AzureOpenAI", "AsyncAzureOpenAI"})
_WITHOUT_CHOICES = re.compile(
    r"://([\w.-]*\.)?(azure\.com|models\.github\.ai|nvidia\.com|openai\.com|openrouter\.ai)"
)
"""Servers that send a chunk without choices, whatever is asked; OpenAI's own where it is only what
is asked without a setting."""
_COMPLETIONS = ".chat.completions.create"
_OF_CHUNKS = frozenset({"base_url", "include_usage", *_OF_AZURE})
OLD_CONTENT = "google.generativeai.types.generation_types.GenerateContentResponse"
PROMPT = "prompt"
CHUNK = "openai.types.chat.chat_completion_chunk.ChatCompletionChunk"


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """The request or parameter from which values follow.

    ``keys`` are the words of the request, with whether it asks for what they name for
    certain; ``seen``: those are all.  ``line`` is 0 where no request is seen.  ``constants`` are
    the words whose value is a text of the code, with it; ``PROMPT`` is the first argument.
    ``guessed``: what it is follows from its use.
    """

    line: int = 0
    keys: Mapping[str, bool] = field(default_factory=dict[str, bool])
    seen: bool = False
    constants: Mapping[str, str] = field(default_factory=dict[str, str])
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class AnswerValue:
    """A value of one of the SDKs' types.

    ``trail`` are the fields through which it was reached, each with its class; ``union`` is the
    named union that it is a member of; ``taken``: it is the first or any element of the list at the
    trail's end.
    """

    kind: str
    root: Root
    trail: tuple[tuple[str, str], ...] = ()
    union: str = ""
    taken: bool = False

    @property
    def members(self) -> list[str]:
        """The classes and scalars that it may be."""
        return members(self.kind)


class FileScope:
    """The imports, functions and constants of a file.

    ``results`` are what its functions return, ``arguments`` what they are given within the file,
    as far as they are values of an SDK that no condition has asked about.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.results: dict[str, AnswerValue] = {}
        self.arguments: dict[ast.arg, AnswerValue] = {}
        self.names: dict[str, str] = {}
        self.packages: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.packages.add(alias.name)
                    name = alias.asname or alias.name.partition(".")[0]
                    self.names[name] = alias.name if alias.asname else name
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    self.packages.add(node.module)
                    self.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    @cached_property
    def is_concerned(self) -> bool:
        """Return whether the file can hold values of an SDK."""
        if any(map(self.imports, _PACKAGES)):
            return True
        return any(
            isinstance(node, ast.Call) and self.request(node) is not None
            for node in ast.walk(self.tree)
        )

    @cached_property
    def called_classes(self) -> frozenset[str]:
        """The short names of all that the file imports or calls by a dotted name."""
        calls = (node.func for node in ast.walk(self.tree) if isinstance(node, ast.Call))
        return frozenset(map(short, (*self.names.values(), *map(self.dotted, calls))))

    def imports(self, package: str) -> bool:
        """Return whether the file imports a package or a part of it."""
        inside = f"{package}."
        return any(f"{each}.".startswith(inside) for each in (*self.packages, *self.names.values()))

    @cached_property
    def servers(self) -> Mapping[str, bool]:
        """The servers of the file's clients of OpenAI that send chunks without choices."""
        return self._servers_in(self.tree) | dict.fromkeys(_OF_AZURE & self.called_classes, False)

    @cached_property
    def clients(self) -> Mapping[str, Mapping[str, bool]]:
        """The clients of OpenAI that the file makes, with such servers."""
        return dict(self.clients_in(self.tree))

    def clients_in(self, place: ast.AST) -> Iterator[tuple[str, Mapping[str, bool]]]:
        """Yield the clients of OpenAI that a place makes, as they are called, with such servers."""
        for node in ast.walk(place):
            match node:
                case (
                    ast.Assign(targets=[target], value=value)
                    | ast.AnnAssign(target=target, value=value)
                ):
                    pass
                case ast.withitem(optional_vars=ast.expr() as target, context_expr=value):
                    pass
                case _:
                    continue
            made = self._made_in(value) if value is not None else []
            if made:
                yield ast.unparse(target), self._servers_in(*made)

    def _made_in(self, *places: ast.AST) -> list[ast.Call]:
        calls = (n for place in places for n in ast.walk(place) if isinstance(n, ast.Call))
        return [each for each in calls if short(self.dotted(each.func)) in _OF_OPENAI | _OF_AZURE]

    def _servers_in(self, *places: ast.AST) -> dict[str, bool]:
        found: dict[str, bool] = {}
        for call in self._made_in(*places):
            kind = short(self.dotted(call.func))
            given = {each.arg: each.value for each in call.keywords}.get("base_url")
            if kind in _OF_AZURE:
                found[kind] = False
            elif given is not None and self._is_without_choices(given):
                found["base_url"] = False
        return found

    def _is_without_choices(self, address: ast.expr) -> bool:
        """Return whether a server sends such chunks, or the code leaves open which one it is."""
        for _ in range(_DEEPEST):
            if isinstance(address, ast.Name):
                address = self.constants.get(address.id, address)
        texts = [n.value for n in ast.walk(address) if isinstance(n, ast.Constant)]
        hosts = [each for each in texts if isinstance(each, str) and "://" in each]
        if isinstance(address, ast.Constant | ast.JoinedStr):
            return any(_WITHOUT_CHOICES.search(h) and "openai.com/" not in h for h in hosts)
        return all(_WITHOUT_CHOICES.search(host) for host in hosts)

    @cached_property
    def constants(self) -> Mapping[str, ast.expr]:
        """The values of the names that the file's top level binds once."""
        return assigned_once(self.tree.body)

    @cached_property
    def functions(self) -> Mapping[str, Function]:
        """The functions and methods whose name the file defines once."""
        found: dict[str, list[Function]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, FUNCTIONS):
                found.setdefault(node.name, []).append(node)
        return {name: nodes[0] for name, nodes in found.items() if len(nodes) == 1}

    def called(self, node: ast.Call) -> Function | None:
        """Return the function or method of the file that a call means."""
        match node.func:
            case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                return self.functions.get(name)
            case _:
                return None

    def dotted(self, node: ast.expr) -> str:
        """Return a dotted expression with its first name as it was imported."""
        text = _chain(node)
        first, dot, rest = text.partition(".")
        return f"{self.names.get(first, first)}{dot}{rest}"

    def request(self, call: ast.Call) -> Request | None:
        """Return the request that a call sends to a model."""
        text = self.dotted(call.func)
        words = {each.arg for each in call.keywords}
        for each in requests():
            ends = any(text == m or text.endswith(f".{m}") for m in each.methods)
            if not ends or (each.words and not words & {*each.words, None}):
                continue
            imported = not each.packages or any(map(self.imports, each.packages))
            owned = not each.of or self.is_made_by(call.func, each.of)
            if imported and owned and not any(map(self.imports, each.others)):
                return each
        return None

    def is_made_by(self, attribute: ast.expr, method: str) -> bool:
        """Return whether what an attribute is taken of comes from calls of a method."""
        owner = attribute.value if isinstance(attribute, ast.Attribute) else attribute
        owner = owner.value if isinstance(owner, ast.Await) else owner
        if isinstance(owner, ast.Call):
            return f".{self.dotted(owner.func)}".endswith(f".{method}")
        return ast.unparse(owner).rpartition(".")[2] in self._made.get(method, ())

    @cached_property
    def _made(self) -> Mapping[str, frozenset[str]]:
        """The names and attributes that hold what some methods make, by method."""
        found: dict[str, set[str]] = {}
        for node in ast.walk(self.tree):
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            value = value.value if isinstance(value, ast.Await) else value
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(value, ast.Call):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                for method in {each.of for each in requests() if each.of}:
                    if f".{self.dotted(value.func)}".endswith(f".{method}"):
                        name = ast.unparse(target).rpartition(".")[2]
                        found.setdefault(method, set()).add(name)
        return {method: frozenset(names) for method, names in found.items()}

    def chunks(self, function: Function) -> Iterator[tuple[str, AnswerValue]]:
        """Yield the names whose ``.choices[0].delta`` a function reads: chunks of a stream.

        Whether the usage was asked for is what the whole file says.
        """
        if not self.is_concerned or any(self.imports(p) for r in requests() for p in r.others):
            return
        taken: dict[str, str] = {}
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets=[ast.Name(id=choice)], value=value):
                    taken[choice] = _first_choice_of(value)
                case ast.Attribute(value=owner, attr="delta"):
                    name = taken.get(owner.id, "") if isinstance(owner, ast.Name) else ""
                    name = name or _first_choice_of(owner)
                    if name:
                        yield name, AnswerValue(CHUNK, Root(keys=self._usage, guessed=True))
                case _:
                    pass

    @cached_property
    def _usage(self) -> Mapping[str, bool]:
        """``include_usage``, if the file asks any request for it, and the file's servers."""
        if self.imports("litellm"):
            return {}
        asked = any(
            isinstance(node, ast.Constant) and node.value == "include_usage"
            for node in ast.walk(self.tree)
        )
        return {**({"include_usage": False} if asked else {}), **self.servers}

    def annotated(self, hint: ast.expr | None) -> AnswerValue | None:
        """Return the value that an annotation promises."""
        match hint:
            case ast.Constant(value=str(text)):
                try:
                    return self.annotated(ast.parse(text, mode="eval").body)
                except SyntaxError:
                    return None
            case ast.Subscript(value=owner, slice=inner):
                name = short(_chain(owner))
                first = inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner
                held = self.annotated(first) if name in _STREAMS else None
                if held is not None:
                    return replace(held, kind=f"list[{held.kind}]")
                return self.annotated(first) if name in _WRAPPERS - {"Optional"} else None
            case ast.Name() | ast.Attribute():
                name = named(self.dotted(hint))
                union = name if name in unions() else ""
                return AnswerValue(unions().get(name, name), Root(), union=union) if name else None
            case _:
                return None


def _first_choice_of(node: ast.expr) -> str:
    """Return the name of which an expression takes the first of the choices, or nothing."""
    match node:
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name(id=name), attr="choices"),
            slice=ast.Constant(value=0),
        ):
            return name
        case _:
            return ""


def _chain(node: ast.expr) -> str:
    """Return a dotted name; calls and indexes within it as ``()``."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_chain(node.value)}.{node.attr}"
    return "()"


def assigned_once(body: Sequence[ast.stmt]) -> Mapping[str, ast.expr]:
    """Return the values of names that some statements bind once, by a plain assignment."""
    stores: dict[str, int] = {}
    values: dict[str, ast.expr] = {}
    for node in (inner for statement in body for inner in own_nodes(statement)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            stores[node.id] = stores.get(node.id, 0) + 1
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            values[node.target.id] = node.value
    return {name: value for name, value in values.items() if stores.get(name) == 1}


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and what is inside, but for the bodies of inner functions and classes."""
    yield node
    if not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
        for child in ast.iter_child_nodes(node):
            yield from own_nodes(child)


class AnswerValues:
    """The values of expressions in one function, by the names bound so far."""

    def __init__(self, scope: FileScope, function: Function | None) -> None:
        self.scope = scope
        self.names: dict[str, AnswerValue] = {}
        self._locals = assigned_once(function.body) if function else {}
        self._optional: set[str] = set()
        self._given: set[str] = set()
        self._roots: dict[ast.Call, Root] = {}
        self._chats = Root()
        own = dict(scope.clients_in(function)) if function else {}
        self._clients = {**scope.clients, **own}
        self.chunks = dict(scope.chunks(function)) if function else {}
        self._added = list(_added(function)) if function else []
        for argument, default in parameters(function) if function else ():
            self._given.add(argument.arg)
            if default is not None:
                self._optional.add(argument.arg)
            value = scope.annotated(argument.annotation) or scope.arguments.get(argument)
            value = value or self.chunks.get(argument.arg)
            if value is not None:
                self.names[argument.arg] = value

    def of(self, node: ast.expr) -> AnswerValue | None:
        """Return the value of an expression, if an SDK has its type."""
        match node:
            case ast.Name(id=name):
                return self.names.get(name)
            case (
                ast.Await(value=inner)
                | ast.NamedExpr(value=inner)
                | ast.Subscript(value=inner, slice=ast.Slice())
            ):
                return self.of(inner)
            case ast.IfExp(test=test, body=inner):
                held, asked = self.of(inner), self.of(test)
                above = held and asked and asked.root is held.root and is_above(asked, held)
                return held if above else None
            case ast.Attribute(value=owner, attr=name):
                held = self.of(owner)
                return self._field(held, name) if held else self._last(node)
            case ast.Subscript(value=owner, slice=index):
                return self._at(owner, index)
            case _:
                return self._call(node) if isinstance(node, ast.Call) else None

    def _at(self, owner: ast.expr, index: ast.expr) -> AnswerValue | None:
        if isinstance(index, ast.Constant) and isinstance(index.value, str):
            held = self.of(owner)
            return self._field(held, index.value) if held and is_dictionary(held) else None
        element = self.element(owner)
        first = isinstance(index, ast.Constant) and index.value == 0
        return element if element is None or first else replace(element, taken=False, union="")

    def element(self, node: ast.expr) -> AnswerValue | None:
        """Return an element of what a list or stream gives."""
        match node:
            case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _PASSED_ON:
                return self.element(inner)
            case ast.BoolOp(op=ast.Or(), values=[inner, *_]):
                return self.element(inner)
            case _:
                pass
        held = self.of(node)
        each = element(held.kind) if held else ""
        if held is None or not each:
            return None
        union = each if each in unions() else held.union
        return replace(held, kind=unions().get(each, each), union=union, taken=True)

    def _last(self, node: ast.Attribute) -> AnswerValue | None:
        """Return the last answer of a chat, which its attribute ``last`` holds."""
        known = node.attr == "last" and self.scope.imports("google.generativeai")
        known = known and self.scope.is_made_by(node, "start_chat")
        return AnswerValue(OLD_CONTENT, self._chats) if known else None

    def _field(self, held: AnswerValue, name: str) -> AnswerValue | None:
        for owner in held.members:
            known = classes().get(owner, {}).get(name)
            if known is not None:
                return AnswerValue(known.kind, held.root, (*held.trail, (owner, name)))
        return None

    def _call(self, node: ast.Call) -> AnswerValue | None:
        if isinstance(node.func, ast.Name) and node.func.id in ("next", "anext") and node.args:
            return self.element(node.args[0])
        request = self.scope.request(node)
        return self._of_method(node) if request is None else self._answer(node, request)

    def _of_method(self, node: ast.Call) -> AnswerValue | None:
        """Return what a method of an answer, or a function of the file, gives."""
        held = self.of(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if held is not None and isinstance(node.func, ast.Attribute):
            result = results().get(f"{held.kind}.{node.func.attr}")
            return AnswerValue(result, held.root) if result else None
        called = self.scope.called(node)
        return self.scope.results.get(called.name) if called else None

    def _answer(self, node: ast.Call, request: Request) -> AnswerValue | None:
        root = self._roots.get(node)
        if root is None:
            root = self._roots[node] = self._root(node)
        if request.streams:
            return AnswerValue(f"list[{request.returns}]", root)
        stream = next((each.value for each in node.keywords if each.arg == "stream"), None)
        if stream is None and "stream" not in root.keys and (root.seen or root.keys):
            return AnswerValue(request.returns, root)
        if isinstance(stream, ast.Constant) and stream.value in (True, False, None):
            streamed = f"list[{request.stream}]" if request.stream else ""
            kind = streamed if stream.value else request.returns
            return AnswerValue(kind, root) if kind else None
        return None

    def _root(self, call: ast.Call) -> Root:
        keys: dict[str, bool] = {}
        seen = True
        for each in call.keywords:
            if each.arg is None:
                seen = self._note_all(each.value, keys) and seen
            else:
                self._note(each.arg, each.value, keys, 0)
        seen = seen and not any(isinstance(each, ast.Starred) for each in call.args)
        client = ast.unparse(call.func).removesuffix(_COMPLETIONS)
        keys |= self._clients.get(client, self.scope.servers)
        if self.scope.imports("litellm"):  # its chunk with the usage has a choice
            keys = {word: known for word, known in keys.items() if word not in _OF_CHUNKS}
        texts = {each.arg: self._text(each.value) for each in call.keywords if each.arg}
        texts[PROMPT] = self._text(call.args[0]) if call.args else None
        given = {word: text for word, text in texts.items() if text is not None}
        return Root(call.lineno, keys, seen, given)

    def _text(self, value: ast.expr) -> str | None:
        """Return a text of the code, if the environment has no other."""
        match self.resolved(value):
            case ast.Constant(value=str(text)):
                return text
            case ast.Call(
                func=ast.Attribute(attr="getenv" | "get"), args=[_, ast.Constant(value=str(text))]
            ):
                return text
            case ast.BoolOp(op=ast.Or(), values=[*_, ast.Constant(value=str(text))]):
                return text
            case _:
                return None

    def _note_all(self, node: ast.expr, keys: dict[str, bool]) -> bool:
        """Note what ``**node`` gives; return whether that is all."""
        given = self.resolved(node)
        for word, value in _words_in(given):
            self._note(word, value, keys, 0)
        name = node.id if isinstance(node, ast.Name) else ""
        for word in (key for owner, key in self._added if owner == name):
            keys.setdefault(word, False)
        return given is node and isinstance(node, ast.Dict) and None not in node.keys

    def _note(self, name: str, value: ast.expr, keys: dict[str, bool], depth: int) -> None:
        """Note a word of a request, and those within its value."""
        optional = isinstance(value, ast.Name) and value.id in self._optional
        value = self.resolved(value)
        if _is_nothing(value):
            return
        keys[name] = keys.get(name, False) or not (optional or _is_open(value))
        plain = not isinstance(value, ast.List) or name == "tools"
        for word, each in _words_in(value) if plain and depth < _DEEPEST else ():
            self._note(word, each, keys, depth + 1)

    def resolved(self, value: ast.expr) -> ast.expr:
        """Return what a name is bound to, where it is bound once."""
        for _ in range(_DEEPEST):
            if not isinstance(value, ast.Name) or value.id in self._given:
                break
            value = self._locals.get(value.id) or self.scope.constants.get(value.id) or value
            if isinstance(value, ast.Name):
                break
        return value


def is_above(part: AnswerValue, value: AnswerValue) -> bool:
    """Return whether a value is a part of another one, or an element of it."""
    if part.trail == value.trail:
        return value.taken and not part.taken
    return part.trail == value.trail[: len(part.trail)]


def is_dictionary(value: AnswerValue) -> bool:
    """Return whether an answer's fields are keys."""
    return any(each.startswith(DICTIONARIES) for each in value.members)


def is_optional(value: AnswerValue) -> bool:
    """Return whether a value may be ``None`` by its declaration."""
    return NOTHING in value.members


def parameters(function: Function) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Yield the parameters of a function with their defaults."""
    plain = [*function.args.posonlyargs, *function.args.args]
    missing = len(plain) - len(function.args.defaults)
    yield from zip(plain, [*[None] * missing, *function.args.defaults], strict=True)
    yield from zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    for rest in (function.args.vararg, function.args.kwarg):
        if rest is not None:
            yield rest, None


def _added(function: Function) -> Iterator[tuple[str, str]]:
    """Yield the keys that a function adds to dictionaries by name: ``options["tools"] = …``."""
    for node in ast.walk(function):
        match node:
            case ast.Subscript(
                value=ast.Name(id=name), slice=ast.Constant(value=str(key)), ctx=ast.Store()
            ):
                yield name, key
            case _:
                pass


def _words_in(value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the keywords of a call, or the keys of a dictionary, with their values."""
    if isinstance(value, ast.Call):
        yield from ((each.arg, each.value) for each in value.keywords if each.arg)
    elif isinstance(value, ast.Dict):
        for key, each in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, each
    elif isinstance(value, ast.List):
        for each in value.elts:
            yield from _words_in(each)


def _is_nothing(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=None | False) | ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return any(
                getattr(key, "value", "") == "type" and getattr(each, "value", "") == "disabled"
                for key, each in pairs
            )
        case _:
            return False


def _is_open(value: ast.expr) -> bool:
    """Return whether a value may turn out to be nothing."""
    return isinstance(value, ast.IfExp | ast.BoolOp | ast.Name | ast.Attribute | ast.Subscript) or (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
        and value.func.attr in ("get", "pop")
    )  # fmt: skip
