"""Extracts the declarations of response classes from the source text of SDKs.

``python -m scripts.extract_schemas.source_declarations FOLDER`` reads the packages that are
installed in a folder and writes ``analyzers/source_checks/data/NAME.json``.  Nothing is imported.
"""

from __future__ import annotations

import ast
import gzip
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "analyzers/source_checks/data"
ROOTS: Mapping[str, tuple[str, Sequence[str]]] = {
    "openai": (
        "openai/types",
        (
            "openai.types.chat.chat_completion.ChatCompletion",
            "openai.types.chat.chat_completion_chunk.ChatCompletionChunk",
            "openai.types.chat.parsed_chat_completion.ParsedChatCompletion",
            "openai.types.responses.response.Response",
            "openai.types.responses.parsed_response.ParsedResponse",
        ),
    ),
    "groq": (
        "groq/types",
        (
            "groq.types.chat.chat_completion.ChatCompletion",
            "groq.types.chat.chat_completion_chunk.ChatCompletionChunk",
        ),
    ),
    "anthropic": (
        "anthropic/types",
        (
            "anthropic.types.message.Message",
            "anthropic.types.raw_message_stream_event.RawMessageStreamEvent",
        ),
    ),
    "google-genai": (
        "google/genai/types.py",
        ("google.genai.types.GenerateContentResponse",),
    ),
    "azure-ai-inference": (
        "azure/ai/inference/models",
        (
            "azure.ai.inference.models._models.ChatCompletions",
            "azure.ai.inference.models._models.StreamingChatCompletionsUpdate",
        ),
    ),
}
"""By distribution: the folder or file with its types, and the classes from which to go on."""
BEDROCK = ("ConverseResponse", "ConverseStreamResponse")
_ENUMS = tuple(
    f"google.genai.types.{name}"
    for name in (
        "FinishReason", "FunctionCallingConfigMode", "HarmBlockThreshold", "HarmCategory",
        "ThinkingLevel", "Type",
    )
)  # fmt: skip
_SCALARS = frozenset({"str", "int", "float", "bool", "bytes", "None"})
_LISTS = frozenset({"List", "list", "Sequence", "Iterable"})


class Sources:
    """The modules of an SDK's types, by dotted name."""

    def __init__(self, root: Path, place: str) -> None:
        files = [root / place] if place.endswith(".py") else sorted((root / place).rglob("*.py"))
        self.modules = {
            ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): (
                ast.parse(path.read_text("utf-8"))
            )
            for path in files
        }
        self._packages = {
            ".".join(path.parent.relative_to(root).parts)
            for path in files
            if path.name == "__init__.py"
        }

    @cached_property
    def names(self) -> Mapping[str, Mapping[str, str]]:
        """The dotted name that each imported name of a module means."""
        return {name: dict(self._imported(name, tree)) for name, tree in self.modules.items()}

    def _imported(self, module: str, tree: ast.Module) -> Iterator[tuple[str, str]]:
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                up = node.level - (module in self._packages)
                parts = module.split(".")[: -up or None] if node.level else []
                origin = ".".join([*parts, *filter(None, [node.module])])
                for alias in node.names:
                    yield alias.asname or alias.name, f"{origin}.{alias.name}"

    def defined(self, name: str) -> tuple[str, ast.stmt] | None:
        """Return the module and statement that define a dotted name."""
        module, _, short = name.rpartition(".")
        for node in getattr(self.modules.get(module), "body", ()):
            if isinstance(node, ast.ClassDef) and node.name == short:
                return module, node
            target = node.target if isinstance(node, ast.AnnAssign) else None
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
            if isinstance(target, ast.Name) and target.id == short:
                return module, node
        parent, _, last = module.rpartition(".")
        origin = self.names.get(module, {}).get(short)
        if origin is None and last in self.names.get(parent, {}):
            origin = f"{self.names[parent][last]}.{short}"
        return self.defined(origin) if origin and origin != name else None


class Declarations:
    """The classes that are reached from some, each field with its declaration and its type."""

    def __init__(self, sources: Sources, roots: Sequence[str]) -> None:
        self.classes: dict[str, dict[str, list[str]]] = {}
        self.methods: dict[str, list[str]] = {}
        self.unions: dict[str, str] = {}
        self.enums: dict[str, list[str]] = {}
        self.words: dict[str, list[str]] = {}
        self._sources = sources
        for root in (*roots, *_ENUMS):
            described = self.type_of(_parsed(root), "")
            if described not in (root, "any"):
                self.unions[root] = described

    def type_of(self, node: ast.expr, module: str) -> str:
        """Return the members of an annotation, joined by ``|``: scalars, classes, ``list[…]``."""
        match node:
            case ast.Constant(value=None):
                return "None"
            case ast.Constant(value=str(text)):
                return self.type_of(_parsed(text), module)
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                return _joined(self.type_of(each, module) for each in (left, right))
            case ast.Subscript(value=owner, slice=inner):
                return self._generic(ast.unparse(owner).rpartition(".")[2], inner, module)
            case ast.Name() | ast.Attribute():
                return self._named(ast.unparse(node), module)
            case _:
                return "any"

    def _generic(self, name: str, inner: ast.expr, module: str) -> str:
        members = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if name == "Optional":
            return _joined((self.type_of(inner, module), "None"))
        if name == "Union":
            return _joined(self.type_of(each, module) for each in members)
        if name == "Annotated":
            return self.type_of(members[0], module)
        if name in _LISTS:
            return f"list[{self.type_of(inner, module)}]"
        if name == "Literal":
            return "str" if all(isinstance(getattr(e, "value", 0), str) for e in members) else "any"
        return self._named(name, module)

    def _named(self, name: str, module: str) -> str:
        if name in _SCALARS:
            return name
        found = self._sources.defined(f"{module}.{name}" if module else name)
        if found is None:
            return "any"
        place, node = found
        if not isinstance(node, ast.ClassDef):
            value = getattr(node, "value", None)
            return self.type_of(value, place) if isinstance(value, ast.expr) else "any"
        full = f"{place}.{node.name}"
        if any(ast.unparse(base).endswith("Enum") for base in node.bases):
            self.enums[full] = _members(node)
            return "any"
        if full not in self.classes:
            self.classes[full] = {}
            self.methods[full] = []
            self._describe(full, node, place)
        return full

    def _describe(self, full: str, node: ast.ClassDef, module: str) -> None:
        for base in node.bases:
            inherited = self._named(ast.unparse(base).partition("[")[0], module)
            self.classes[full] |= self.classes.get(inherited, {})
            self.methods[full] += self.methods.get(inherited, ())
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                name, hint = each.target.id, each.annotation
            elif isinstance(each, ast.FunctionDef) and each.returns and _is_property(each):
                name, hint = each.name, each.returns
            else:
                if isinstance(each, ast.FunctionDef) and not each.name.startswith("_"):
                    self.methods[full].append(each.name)
                continue
            if not name.startswith("_"):
                self.classes[full][name] = [_declared(hint), self.type_of(hint, module)]
                if words := self.words_of(hint, module):
                    self.words[f"{full}.{name}"] = words

    def words_of(self, node: ast.expr, module: str) -> list[str]:
        """Return the texts that an annotation lists; none where it takes others too."""
        match node:
            case ast.Constant(value=str(text)):
                return self.words_of(_parsed(text), module)
            case ast.Subscript(value=owner, slice=inner):
                members = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                name = ast.unparse(owner).rpartition(".")[2]
                if name in ("Optional", "Annotated"):
                    return self.words_of(members[0], module)
                values = [getattr(each, "value", None) for each in members]
                return [v for v in values if isinstance(v, str)] if name == "Literal" else []
            case ast.Name() | ast.Attribute():
                return self._words_named(f"{module}.{ast.unparse(node)}")
            case _:
                return []

    def _words_named(self, name: str) -> list[str]:
        place, defined = self._sources.defined(name) or ("", None)
        if isinstance(defined, ast.ClassDef):
            return self.enums.get(f"{place}.{defined.name}", [])
        value = getattr(defined, "value", None)
        return self.words_of(value, place) if isinstance(value, ast.expr) else []


def _members(node: ast.ClassDef) -> list[str]:
    """Return the names of an enumeration, which are its values too."""
    names = (each.targets[0] for each in node.body if isinstance(each, ast.Assign))
    return [name.id for name in names if isinstance(name, ast.Name)]


def _is_property(node: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)


def _declared(hint: ast.expr) -> str:
    if isinstance(hint, ast.Constant) and isinstance(hint.value, str):
        return hint.value
    return ast.unparse(hint)


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _joined(members: Iterator[str] | Sequence[str]) -> str:
    return "|".join(dict.fromkeys(part for each in members for part in split_union(each)))


def split_union(text: str) -> list[str]:
    """Return the members of a type, those of inner lists left together."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def declarations(folder: Path, name: str) -> dict[str, object]:
    """Return the table of one distribution that is installed in a folder."""
    place, roots = ROOTS[name]
    found = Declarations(Sources(folder, place), roots)
    info = next(folder.glob(f"{name.replace('-', '_')}-*.dist-info"))
    return {
        "sdk": f"{name} {info.name.split('-')[1].removesuffix('.dist')}",
        "unions": found.unions,
        "enums": dict(sorted(found.enums.items())),
        "words": {name: words for name, words in sorted(found.words.items()) if len(words) > 1},
        "classes": dict(sorted(found.classes.items())),
        "methods": {name: known for name, known in sorted(found.methods.items()) if known},
    }


def service_declarations(folder: Path, service: str, *roots: str) -> dict[str, object]:
    """Return the table of the answers of an AWS service, from botocore's description."""
    place = sorted((folder / "botocore/data" / service).iterdir())[-1]
    shapes = json.loads(gzip.decompress((place / "service-2.json.gz").read_bytes()))["shapes"]
    classes: dict[str, dict[str, list[str]]] = {}

    def type_of(name: str) -> str:
        shape: dict[str, Any] = shapes[name]
        kind = shape["type"]
        if kind == "list":
            return f"list[{type_of(shape['member']['shape'])}]"
        if kind != "structure" or shape.get("document"):
            return {"string": "str", "integer": "int", "boolean": "bool"}.get(kind, "any")
        full = f"{service}.{name}"
        if full not in classes:
            fields = classes[full] = {}
            union = shape.get("union") or shape.get("eventstream")
            declared = f"union {name}" if union else name
            missing = "|None" if union else ""
            for field, member in shape["members"].items():
                fields[field] = [f"{declared}: {member['shape']}", type_of(member["shape"])]
                fields[field][1] += missing
        return f"list[{full}]" if shape.get("eventstream") else full

    for root in roots:
        type_of(root)
    version = next(folder.glob("botocore-*.dist-info")).name.split("-")[1].removesuffix(".dist")
    return {
        "sdk": f"botocore {version}",
        "unions": {},
        "enums": {},
        "words": {},
        "classes": classes,
        "methods": {},
    }


def main(folder: Path) -> None:
    """Write the tables of the distributions that are there."""
    tables = {
        name: declarations(folder, name)
        for name in ROOTS
        if any(folder.glob(f"{name.replace('-', '_')}-*.dist-info"))
    }
    if (folder / "botocore").is_dir():
        tables["bedrock"] = service_declarations(folder, "bedrock-runtime", *BEDROCK)
    for name, table in tables.items():
        (DATA / f"{name}.json").write_text(_lines(table), encoding="utf-8")


def _lines(table: Mapping[str, object]) -> str:
    """Return a table as JSON with a line for each entry of its parts."""
    parts: list[str] = []
    for name, part in sorted(table.items()):
        if isinstance(part, dict):
            entries = (
                f"{json.dumps(key)}: {json.dumps(value, sort_keys=True)}"
                for key, value in sorted(part.items())
            )
            parts.append(f"{json.dumps(name)}: {{\n" + ",\n".join(entries) + "\n}")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(part)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
