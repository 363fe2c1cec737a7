"""The interpreter: names, attributes, calls, functions and classes of the project."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..constraint_sources.module_scope import dotted_name
from . import expression_handlers, statement_handlers
from .abstract_values import (
    UNKNOWN,
    CallArguments,
    CallEvent,
    CallFrame,
    LayerChain,
    LibraryLayer,
    LibraryName,
    MixedArithmetic,
    Namespace,
    Parser,
    Partial,
    ProjectClass,
    ProjectFunction,
    ProjectInstance,
    SuperProxy,
    Tensor,
    Unknown,
    UntypedParameter,
    ValueMethod,
)
from .builtin_functions import BUILTINS, native_call, number_of, parser_call
from .framework_signatures import canonical, layer_of
from .library_layers import apply_layer
from .project_modules import ProjectModule, defaults_of, located
from .sizes import SizeConstraints
from .tensor_creation import created
from .tensor_functions import library_call, method_call, tensor_attribute

_DEEPEST = 24
_MOST_STEPS = 40_000
_REGISTERS = ("register_buffer", "register_parameter", "add_module")
_NETWORKS = ("Module", "Model", "Layer", "LightningModule")


class Interpreter:
    """Runs a project's code on values that are partly unknown.

    ``enters``: calls of the project's functions are followed, to a depth; else
    their results are unknown.  ``watch`` hears of every call.  ``closed`` is a
    function that is not followed all the same; then ``strict`` holds of the ledger.
    """

    def __init__(
        self,
        *,
        enters: bool = True,
        watch: Callable[[CallEvent], None] | None = None,
        closed: ast.AST | None = None,
    ) -> None:
        self.ledger = SizeConstraints()
        self.ledger.strict = closed is not None
        self.closed = closed
        self.enters = enters
        self.watch = watch
        self._depth = 0
        self._steps = 0
        self._looked: dict[tuple[str, str], Any] = {}

    def evaluate(self, node: ast.expr, frame: CallFrame) -> Any:
        """The value of an expression; ``UNKNOWN`` where it is not understood."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            self.ledger.doubt()
            return UNKNOWN
        handler = expression_handlers.HANDLERS.get(type(node))
        return handler(self, node, frame) if handler else UNKNOWN

    def block(self, body: Sequence[ast.stmt], frame: CallFrame) -> Any:
        """Run statements; how they ended."""
        return statement_handlers.block(self, body, frame)

    def lookup(self, name: str, module: ProjectModule) -> Any:
        """Return what a name means at the top of a file."""
        key = (module.path, name)
        if key not in self._looked:
            self._looked[key] = UNKNOWN
            self._looked[key] = self._found(name, module)
        return self._looked[key]

    def _found(self, name: str, module: ProjectModule) -> Any:
        statement = module.names.get(name)
        if isinstance(statement, ast.ClassDef):
            return ProjectClass(statement, module, name)
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            return ProjectFunction(statement, module, name)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            return self.evaluate(statement.value, CallFrame({}, module))
        if name in module.imports:
            return self.imported(module.imports[name], module)
        return LibraryName(f"builtins.{name}") if name in BUILTINS else UNKNOWN

    def imported(self, full: str, module: ProjectModule) -> Any:
        """Return what a full name means: something of the project, or of a library."""
        found = located(full, module)
        if found is None or (found[0].path == module.path and not found[1]):
            return UNKNOWN if full.startswith(".") else LibraryName(canonical(full))
        inner, rest = found
        if not rest:
            return inner
        first, *others = rest.split(".")
        value = self.lookup(first, inner)
        for other in others:
            value = self.attribute(value, other)
        return value

    def attribute(self, value: Any, name: str) -> Any:  # noqa: PLR0911 - one for each kind of value
        """An attribute of a value."""
        if isinstance(value, ProjectModule):
            return self.lookup(name, value)
        if isinstance(value, LibraryName):
            return LibraryName(canonical(f"{value.name}.{name}"))
        if isinstance(value, ProjectInstance):
            return self._of_instance(value, name)
        if isinstance(value, ProjectClass):
            return self._of_class(value, name, None)
        if isinstance(value, SuperProxy):
            return self._above(value, name)
        if isinstance(value, Namespace):
            return value.values.get(name, UNKNOWN)
        if isinstance(value, Tensor | UntypedParameter | MixedArithmetic):
            return tensor_attribute(self.ledger, value, name)
        if isinstance(value, LibraryLayer):
            found = _of_layer(value, name)
            return ValueMethod(value, name) if found is UNKNOWN else found
        if isinstance(value, Unknown):
            return UNKNOWN
        return ValueMethod(value, name)

    def _of_instance(self, value: ProjectInstance, name: str) -> Any:
        if name in value.attributes:
            return value.attributes[name]
        found = self._of_class(value.of, name, value)
        if found is UNKNOWN and name == "training":
            return True
        return ValueMethod(value, name) if found is UNKNOWN and self.is_network(value.of) else found

    def _of_class(self, of: ProjectClass, name: str, bound: Any) -> Any:
        return self._first_member(self.lineage(of), name, bound)

    def _first_member(self, lineage: Iterable[ProjectClass], name: str, bound: Any) -> Any:
        for each in lineage:
            for statement in each.node.body:
                found = self._member(each, statement, name, bound)
                if found is not None:
                    return found
        return UNKNOWN

    def _member(self, of: ProjectClass, statement: ast.stmt, name: str, bound: Any) -> Any:
        full = f"{of.name}.{name}"
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if statement.name != name:
                return None
            words = {dotted_name(each) for each in statement.decorator_list}
            holder = None if "staticmethod" in words else of if "classmethod" in words else bound
            function = ProjectFunction(statement, of.module, full, holder)
            return self.call(function, (), {}) if "property" in words else function
        if isinstance(statement, ast.Assign) and any(
            isinstance(each, ast.Name) and each.id == name for each in statement.targets
        ):
            return self.evaluate(statement.value, CallFrame({}, of.module, of))
        return None

    def lineage(self, of: ProjectClass) -> Iterator[ProjectClass]:
        """A class and those of the project that it inherits from."""
        waiting, seen = [of], set[str]()
        while waiting:
            each = waiting.pop(0)
            if each.name in seen:
                continue
            seen.add(each.name)
            yield each
            bases = [self.evaluate(base, CallFrame({}, each.module)) for base in each.node.bases]
            waiting += [base for base in bases if isinstance(base, ProjectClass)]

    def is_network(self, of: ProjectClass) -> bool:
        """Return whether a class is a module or layer of a framework."""
        bases = (base for each in self.lineage(of) for base in each.node.bases)
        return any(dotted_name(base).rpartition(".")[2] in _NETWORKS for base in bases)

    def _above(self, value: SuperProxy, name: str) -> Any:
        lineage = list(self.lineage(value.instance.of))
        names = [each.name for each in lineage]
        start = names.index(value.of.name) + 1 if value.of.name in names else 1
        found = self._first_member(lineage[start:], name, value.instance)
        return ValueMethod(value, name) if found is UNKNOWN else found

    def call(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:  # noqa: PLR0911 - one for each kind of value
        """The value of a call."""
        if isinstance(function, LibraryName):
            return self._library(function.name, args, kwargs)
        if isinstance(function, ProjectFunction):
            return (
                self.run(function, args, kwargs)
                if self._enters(function)
                else self._escape(args, kwargs)
            )
        if isinstance(function, ProjectClass):
            return self.instance(function, args, kwargs)
        if isinstance(function, ProjectInstance):
            return self._instance_call(function, args, kwargs)
        if isinstance(function, LibraryLayer | LayerChain):
            return apply_layer(self, function, list(args), kwargs)
        if isinstance(function, Partial):
            return self.call(
                function.function, (*function.args, *args), {**function.kwargs, **kwargs}
            )
        if isinstance(function, ValueMethod):
            return self._method(function, args, kwargs)
        return self._escape(args, kwargs)

    def _enters(self, function: ProjectFunction) -> bool:
        followed = self.enters and function.node is not self.closed
        return followed or isinstance(function.node, ast.Lambda)

    def _method(self, method: ValueMethod, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        receiver = method.receiver
        if isinstance(receiver, Tensor | UntypedParameter | MixedArithmetic):
            return method_call(self, method, CallArguments(list(args), kwargs))
        if isinstance(receiver, Parser):
            return parser_call(receiver, method.name, args, kwargs)
        if isinstance(receiver, ProjectInstance) and method.name in _REGISTERS and len(args) > 1:
            if isinstance(args[0], str):
                receiver.attributes[args[0]] = args[1]
            return None
        if isinstance(receiver, ProjectInstance | LibraryLayer):
            return (
                receiver
                if method.name in ("to", "cuda", "cpu", "eval", "train", "float")
                else UNKNOWN
            )
        if isinstance(receiver, SuperProxy):
            return None
        return native_call(receiver, method.name, args)

    def _library(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:  # noqa: PLR0911 - one for each kind of value
        if name == "functools.partial" and args:
            return Partial(args[0], tuple(args[1:]), dict(kwargs))
        if name == "argparse.ArgumentParser":
            return Parser()
        if name == "numpy.random.default_rng":
            return LibraryName(name)
        if name.startswith("math."):
            return number_of(name[5:], args)
        if name.startswith("builtins."):
            builtin = BUILTINS.get(name.removeprefix("builtins."))
            if builtin is None:  # a method that is looked up on its type: ``set.difference``
                return self._escape(args, kwargs)
            return builtin(self, CallArguments(list(args), kwargs))
        layer = layer_of(name, args, kwargs)
        if layer is not None:
            return layer
        call = CallArguments(list(args), kwargs)
        made = created(self.ledger, name, call)
        return library_call(self, name, call) if made is None else made

    def _escape(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Arguments go to where they cannot be followed."""
        for each in [*args, *kwargs.values()]:
            if isinstance(each, UntypedParameter):
                each.escaped = True
            if isinstance(each, Tensor | UntypedParameter) and self.enters:
                self.ledger.doubt()
        return UNKNOWN

    def instance(
        self, of: ProjectClass, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> ProjectInstance:
        """A new object, its constructor run."""
        made = ProjectInstance(of, given=(tuple(args), dict(kwargs)))
        constructor = self._of_class(of, "__init__", made)
        if isinstance(constructor, ProjectFunction) and self._enters(constructor):
            self.run(constructor, args, kwargs)
        elif constructor is UNKNOWN:
            fields = [
                s.target.id
                for s in of.node.body
                if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
            ]
            made.attributes.update(zip(fields, args, strict=False))
            made.attributes.update(kwargs)
        return made

    def _instance_call(
        self, of: ProjectInstance, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        for name in ("forward", "call", "__call__"):
            function = self._of_class(of.of, name, of)
            if isinstance(function, ProjectFunction):
                return self.call(function, args, kwargs)
        return self._escape(args, kwargs)

    def run(self, function: ProjectFunction, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return what a function of the project returns."""
        if self._depth >= _DEEPEST:
            return self._escape(args, kwargs)
        env = dict(function.around or {})
        owner = None
        if isinstance(function.bound, ProjectInstance):
            owner, name = function.bound.of, function.name.rpartition(".")[0]
            owner = next((each for each in self.lineage(owner) if each.name == name), owner)
        frame = CallFrame(env, function.module, owner)
        given = args if function.bound is None else (function.bound, *args)
        env.update(self._arguments(function, given, kwargs, frame))
        self._depth += 1
        try:
            if isinstance(function.node, ast.Lambda):
                return self.evaluate(function.node.body, frame)
            flow = self.block(function.node.body, frame)
        finally:
            self._depth -= 1
        if isinstance(flow, statement_handlers.ReturnedValue):
            return flow.value
        return flow[0] if isinstance(flow, list) and len(flow) == 1 else None

    def _arguments(
        self,
        function: ProjectFunction,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        frame: CallFrame,
    ) -> dict[str, Any]:
        """Parameters by what they are given; a default where they are not."""
        spec = function.node.args
        names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
        found: dict[str, Any] = dict(zip(names, args, strict=False))
        others = {each.arg for each in spec.kwonlyargs} | set(names)
        found.update({key: value for key, value in kwargs.items() if key in others})
        for name, default in defaults_of(spec).items():
            if name not in found:
                found[name] = self.evaluate(default, CallFrame(dict(frame.env), frame.module))
        for name in others - found.keys():
            found[name] = UNKNOWN
        if spec.vararg is not None:
            found[spec.vararg.arg] = tuple(args[len(names) :])
        if spec.kwarg is not None:
            found[spec.kwarg.arg] = {k: v for k, v in kwargs.items() if k not in others}
        return found


def _of_layer(layer: LibraryLayer, name: str) -> Any:
    if name == "weight" and layer.name == "Linear":
        return UNKNOWN
    return layer.arguments.get(name, UNKNOWN)
