"""All that is known to be valid, each call once, and lent to the relatives of the same name."""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import re
import sys
import types
import unittest
import warnings
from contextlib import contextmanager
from functools import cache, partial
from importlib.util import find_spec
from itertools import islice
from types import CodeType
from typing import Any, Callable, Generator, Iterable, Iterator, Optional, Sequence

from ..relation_types import LAYER, CallSource, Library, LibraryApi, LiveCall
from .call_tracing import most_different, several, succeeds, traced
from .torch_catalogue import is_unsafe


@cache
def opinfo_database() -> list[Any]:
    """Return ``op_db``: torch's operators with generators of sample inputs (``OpInfo``)."""
    with _expecttest():
        from torch.testing._internal.common_methods_invocations import op_db

    return list(op_db)


@cache
def moduleinfo_database() -> list[Any]:
    """Return ``module_db``: torch's layers with generators of inputs (``ModuleInfo``)."""
    with _expecttest():
        from torch.testing._internal.common_modules import module_db

    return list(module_db)


@contextmanager
def _expecttest() -> Generator[None, None, None]:
    """Provide ``expecttest``, which torch's tests import for a base class that is never used."""
    if find_spec("expecttest") is not None:
        yield
        return
    standin: Any = types.ModuleType("expecttest")
    standin.TestCase = unittest.TestCase
    sys.modules["expecttest"] = standin
    try:
        yield
    finally:
        sys.modules.pop("expecttest", None)


MOST_SAMPLES = 300
MOST_OPERATOR_CALLS = 16
MOST_OTHER_OPERATOR_CALLS = 3
"""How many samples are looked at; how many calls of the first dtype and of each other are kept."""

OPERATOR_DTYPES = ("float32", "int64", "bool", "complex64", "float64", "bfloat16")
"""The first that an operator supports is the one most calls are for."""


def opinfo_calls(library: Library, operators: Sequence[Any]) -> Iterator[tuple[CallSource, str]]:
    """Yield the calls of some operators."""
    for operator in operators:
        for call in _operator_calls(operator, library):
            yield call, "op_db"


def _operator_calls(operator: Any, library: Library) -> Iterator[CallSource]:
    most, looked = MOST_OPERATOR_CALLS, MOST_SAMPLES
    for dtype in OPERATOR_DTYPES:
        found = _samples(operator, dtype, library, looked)
        if not found:
            continue
        for lives in _of_variants(operator, found, library):
            yield from several(most_different(lives), library, most)
        most, looked = MOST_OTHER_OPERATOR_CALLS, 4 * MOST_OTHER_OPERATOR_CALLS


def _samples(operator: Any, dtype: str, library: Library, most: int) -> list[Any]:
    import torch

    kind = getattr(torch, dtype)
    library.seed()
    try:
        if not operator.supports_dtype(kind, "cpu"):
            return []
        samples = operator.sample_inputs_func(operator, "cpu", kind, requires_grad=False)
        return list(islice(samples, most))
    except Exception:
        return []


def _of_variants(
    operator: Any, samples: Sequence[Any], library: Library
) -> Iterator[list[LiveCall]]:
    functions = [
        getattr(info, variant, None)
        for info in (operator, *operator.aliases)
        for variant in ("op", "method_variant", "inplace_variant")
    ]
    names = [library.named(each) for each in (operator.op, *functions) if each is not None]
    if names[0] is None:
        yield from _inside(operator.op, samples[: 4 * MOST_OTHER_OPERATOR_CALLS], library)
    for name in dict.fromkeys(name for name in names if name):
        function = library.function(name)
        yield [
            LiveCall(name, function, [each.input, *each.args], dict(each.kwargs))
            for each in samples
        ]


def _inside(function: Any, samples: Sequence[Any], library: Library) -> Iterator[list[LiveCall]]:
    found: dict[str, list[LiveCall]] = {}
    for sample in samples:
        run = partial(function, sample.input, *sample.args, **sample.kwargs)
        for live in traced(run, library):
            found.setdefault(live.api, []).append(live)
    yield from found.values()


MOST_LAYER_CALLS = 16
MOST_OTHER_LAYER_CALLS = 4
LAYER_DTYPES = ("float32", "float64", "bfloat16", "complex64")


def moduleinfo_calls(library: Library, modules: Sequence[Any]) -> Iterator[tuple[CallSource, str]]:
    """Yield the calls of some layers."""
    for module in modules:
        for call in _layer_calls(module, library):
            yield call, "module_db"


def _layer_calls(module: Any, library: Library) -> Iterator[CallSource]:
    name = library.named(module.module_cls)
    if name is None:
        return
    most = MOST_LAYER_CALLS
    for dtype in LAYER_DTYPES:
        found = [_layer_call(name, item, library) for item in _inputs(module, dtype, library)]
        lives = [live for live in found if live is not None]
        yield from several(most_different(lives), library, most)
        most = MOST_OTHER_LAYER_CALLS if lives else most


def _inputs(module: Any, dtype: str, library: Library) -> list[Any]:
    import torch

    kind = getattr(torch, dtype)
    if kind not in module.dtypes:
        return []
    library.seed()
    try:
        made = module.module_inputs_func(
            module, device="cpu", dtype=kind, requires_grad=False, training=True
        )
        return list(islice(made, 100))
    except Exception:
        return []


def _layer_call(name: str, item: Any, library: Library) -> Optional[LiveCall]:
    """Return a layer's call; what its inputs have names for is put in order."""
    layer = library.function(name)
    made, given = item.constructor_input, item.forward_input
    if given is None:
        return None
    inputs = list(given.args)
    if given.kwargs:
        try:
            bound = inspect.signature(layer.forward).bind(None, *given.args, **given.kwargs)
        except TypeError:
            return None
        bound.apply_defaults()
        if bound.kwargs:
            return None
        inputs = list(bound.args[1:])
    return LiveCall(name, layer, list(made.args), dict(made.kwargs), inputs)


MOST_EXAMPLE_CALLS = 8
MOST_LINES = 40
MOST_SECONDS = 1.0
"""How many calls of an API are kept, and how much of a documentation is run, for how long."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_ELSEWHERE = frozenset(("open", "os", "subprocess", "distributed", "multiprocessing", "plt"))


def calls_in_documentation(
    library: Library, apis: Sequence[LibraryApi]
) -> Iterator[tuple[CallSource, str]]:
    """Yield the calls in the examples of some APIs' documentation."""
    for api in apis:
        found: dict[str, list[LiveCall]] = {}
        for live in _lives(api.doc, library):
            found.setdefault(live.api, []).append(live)
        for lives in found.values():
            for call in several(most_different(lives), library, MOST_EXAMPLE_CALLS):
                yield call, f"the documentation of {api.name}"


def _lives(doc: str, library: Library) -> list[LiveCall]:
    """Return the calls of a documentation's examples, which share their names."""
    import torch

    names: dict[str, Any] = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    codes = [code for code in map(_compiled, _sources(doc)[:MOST_LINES]) if code]

    def run() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            for code in codes:
                with contextlib.suppress(Exception):
                    exec(code, names)

    library.seed()
    return traced(run, library, MOST_SECONDS) if codes else []


def _sources(doc: str) -> list[str]:
    if ">>>" not in doc:
        return []
    try:
        found = doctest.DocTestParser().get_examples(doc)
    except ValueError:
        lines = (line.strip() for line in doc.splitlines())
        return [line[4:] for line in lines if line.startswith(">>> ")]
    return [example.source for example in found]


def _compiled(source: str) -> Optional[CodeType]:
    """Return an example that is nothing but torch's, and no use of what is never called."""
    words = set(_WORD.findall(source))
    if words & _ELSEWHERE or any(is_unsafe(word) for word in words):
        return None
    try:
        return compile(source, "<documentation>", "exec")
    except SyntaxError:
        return None


Found = Iterator[tuple[CallSource, str]]
Source = Callable[[], Found]

MOST_CALLS = 30
MOST_BORROWED = 8
PARTS = 8
"""In how many parts the test data is gone through, and the documentation in half as many."""


def sources(library: Library, names: Iterable[str] = ()) -> Sequence[Source]:
    """Return what may tell calls of some APIs or their namesakes, to run in any order."""
    stems = {_stem(name) for name in names}

    def is_meant(named: Iterable[str]) -> bool:
        return not stems or not stems.isdisjoint(map(_stem, named))

    chosen = [
        each
        for each in opinfo_database()
        if is_meant([each.name, *(alias.name for alias in each.aliases)])
    ]
    layers = [each for each in moduleinfo_database() if is_meant([each.module_cls.__name__])]
    apis = [api for api in library.apis() if is_meant([api.name])]
    parts: list[Source] = [partial(opinfo_calls, library, part) for part in _parted(chosen, PARTS)]
    parts += [partial(moduleinfo_calls, library, part) for part in _parted(layers, PARTS // 4)]
    parts += [partial(calls_in_documentation, library, part) for part in _parted(apis, PARTS // 2)]
    return [partial(_quietly, source) for source in parts]


def _parted(items: Sequence[Any], parts: int) -> list[Sequence[Any]]:
    return [items[part::parts] for part in range(min(parts, len(items)))]


def _quietly(source: Source) -> Found:
    """Run without warnings of deprecation and in one thread, since inputs are small."""
    import torch

    found, threads = source(), torch.get_num_threads()
    while True:
        torch.set_num_threads(1)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                item = next(found, None)
        finally:
            torch.set_num_threads(threads)
        if item is None:
            return
        yield item


def gathered(library: Library, found: Iterable[tuple[CallSource, str]]) -> Found:
    """Each text once, at most :data:`MOST_CALLS` for an API; then what relatives borrow of them."""
    known: dict[str, dict[str, CallSource]] = {}
    for call, origin in found:
        calls, source = known.setdefault(call.api, {}), call.source()
        if source not in calls and len(calls) < MOST_CALLS:
            calls[source] = call
            yield call, origin
    yield from _quietly(partial(borrowed, library, known))


def borrowed(library: Library, known: dict[str, dict[str, CallSource]]) -> Found:
    """Yield calls that succeed for APIs without any, borrowed from a namesake."""
    relatives: dict[str, list[str]] = {}
    for name in known:
        relatives.setdefault(_stem(name), []).append(name)
    for api in library.apis():
        if api.kind == LAYER or api.name in known:
            continue
        for name in relatives.get(_stem(api.name), ()):
            yield from _lent(library, api, list(known[name].values()))


def _lent(library: Library, api: LibraryApi, calls: Sequence[CallSource]) -> Found:
    """Return those that succeed, with the keywords that the borrower knows."""
    names = {item.name for item in api.parameters}
    seen: set[str] = set()
    for call in calls:
        keywords = tuple(item for item in call.keywords if not names or item[0] in names)
        other = CallSource(api.name, call.arguments, keywords)
        if call.inputs is not None or len(seen) >= MOST_BORROWED or other.source() in seen:
            continue
        if succeeds(other, library):
            seen.add(other.source())
            yield other, f"calls of {call.api}"


def _stem(name: str) -> str:
    own = name.rpartition(".")[2].lower()
    return own.rstrip("_").removesuffix("_copy")
