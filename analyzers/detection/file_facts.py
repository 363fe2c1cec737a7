"""Facts about a file that its text alone tells, each text read once.

Before anything is parsed, regular expressions read every file; only files that can reach an
ML API, by text or by import, are parsed.  Facts are known by the digest of their text, so that
they may be kept from one run to the next.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from analyzers.detection.framework_use.file_definitions import mentions_annotations
from analyzers.detection.python_syntax import UnparsableError, check_parsable

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n#;]+)"
    r"|import[ \t]+([^\n#;]+))",
    re.MULTILINE,
)
_COMMENT = re.compile(r"#[^\n]*")
_NAME = re.compile(r"[\w.]+")


@dataclass(frozen=True, slots=True)
class Imported:
    """One imported name: ``level`` dots, the module, and perhaps a name in it."""

    level: int
    module: str
    name: str | None = None


def imports(source: str, *, indented: bool = True) -> Iterator[Imported]:
    """The imports of a text, found without parsing it; of its top level alone if not indented."""
    for match in _IMPORT.finditer(source):
        if not indented and match[0][0] in " \t":
            continue
        origin, names, modules = match.groups()
        if modules:
            for part in modules.split(","):
                words = _NAME.findall(part)
                if words:
                    yield Imported(0, words[0])
            continue
        module = origin.lstrip(".")
        level = len(origin) - len(module)
        yield Imported(level, module)
        for part in _COMMENT.sub("", names).split(","):
            words = _NAME.findall(part)
            if words:
                yield Imported(level, module, words[0])


FRAMEWORKS = frozenset(
    {"accelerate", "diffusers", "fastai", "flax", "haiku", "ignite", "jax", "keras", "kornia"}
    | {"lightning", "mxnet", "optax", "paddle", "pytorch_lightning", "tensorflow"}
    | {"tensorflow_addons", "tensorflow_probability", "tf_keras", "theano", "timm", "tinygrad"}
    | {"torch", "torch_geometric", "torchaudio", "torchmetrics", "torchtext", "torchvision"}
    | {"transformers"}
)
"""Top-level packages."""

NUMERIC = frozenset({"numpy", "scipy", "sklearn"})
"""Packages whose use counts only next to a framework or an annotation."""


def imports_any(source: str, packages: frozenset[str] = FRAMEWORKS) -> bool:
    """Return whether a text imports one of some top-level packages."""
    return any(package in source for package in packages) and any(
        entry.level == 0 and top_level_package(entry.module) in packages
        for entry in imports(source)
    )


def top_level_package(name: str) -> str:
    """The top-level package of a dotted name."""
    return name.partition(".")[0]


_SEEDS = FRAMEWORKS | {"jaxtyping"}


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Imports of a text, and whether it asks ML APIs, uses frameworks, numbers, annotations.

    ``unparsable`` says why Python 3 cannot parse it: empty where it can, ``None`` before it tried.
    """

    imports: tuple[Imported, ...]
    asks_apis: bool
    frameworks: bool
    numeric: bool
    annotated: bool
    unparsable: str | None = None


class FactsCache:
    """Facts by digest of text; ``known`` are those of runs before, ``used`` those of this one.

    ``asks_apis`` tells whether a text can use an ML API.
    """

    def __init__(
        self, asks_apis: Callable[[str], bool], known: Mapping[str, FileFacts] | None = None
    ) -> None:
        self._asks_apis = asks_apis
        self._known = known or {}
        self.used: dict[str, FileFacts] = {}

    def of(self, text: str) -> FileFacts:
        """Return the facts of a text."""
        return self._of(text, _digest(text))

    def unparsable(self, text: str) -> str:
        """Return why Python 3 cannot parse a text, or an empty text."""
        digest = _digest(text)
        facts = self._of(text, digest)
        if facts.unparsable is None:
            facts = self.used[digest] = replace(facts, unparsable=_unparsable(text))
        return facts.unparsable or ""

    @property
    def is_new(self) -> bool:
        """Return whether this run used facts other than those that were known."""
        return self.used.keys() != self._known.keys() or any(
            facts.unparsable != self._known[digest].unparsable
            for digest, facts in self.used.items()
        )

    def _of(self, text: str, digest: str) -> FileFacts:
        facts = self.used.get(digest) or self._known.get(digest)
        if facts is None:
            facts = self._read(text)
        self.used[digest] = facts
        return facts

    def _read(self, text: str) -> FileFacts:
        imported = tuple(dict.fromkeys(imports(text)))
        packages = {top_level_package(each.module) for each in imported if each.level == 0}
        return FileFacts(
            imported,
            self._asks_apis(text) and self._asks_apis(_code(text)),
            not packages.isdisjoint(_SEEDS),
            not packages.isdisjoint(NUMERIC),
            mentions_annotations(text),
        )


_MODEL = re.compile(r"[\w.-]+/[\w.]*-[\w.:-]+")


class _Prose(ast.NodeTransformer):
    """Takes out docstrings, and names of models in a hub: neither asks anything."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return ast.Pass()
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        is_model = isinstance(node.value, str) and _MODEL.fullmatch(node.value)
        return ast.Constant("") if is_model else node


def _code(text: str) -> str:
    """Return a text without its prose, or as it is where it cannot be parsed."""
    try:
        return ast.unparse(_Prose().visit(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _unparsable(text: str) -> str:
    try:
        check_parsable(text.removeprefix("\ufeff"))
    except UnparsableError as error:
        return str(error)
    return ""
