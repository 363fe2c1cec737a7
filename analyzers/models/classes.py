"""Which classes of a project are models: by their bases, followed through its files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from analyzers.inference.subject import parsed

MOST_STEPS = 8
TORCH, KERAS = "torch", "keras"
_ROOTS = {
    TORCH: re.compile(
        r"torch\.nn\.(?:modules\.\w+\.)?[A-Z]\w*"
        r"|(?:pytorch_lightning|lightning(?:\.pytorch)?)(?:\.core(?:\.module)?)?\.LightningModule"
    ),
    KERAS: re.compile(r"(?:tensorflow\.|tf\.)?keras\.(?:models\.)?(?:Model|Sequential)"),
}
_NO_MODEL = re.compile(r"(?:Loss|Criterion|Metric|Penalty|Regularizer)(?:es|s)?(?:_?v?\d+)?$")
"""What is called with predictions and targets, and exported by nobody."""


class Classes:
    """The classes of a project's files; ``texts`` are its sources by path."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def framework(self, path: str, dotted: str, steps: int = MOST_STEPS) -> str | None:
        """``torch`` or ``keras`` where a name of a file is a class of models.

        ``dotted`` is as the file writes it: ``nn.Module``, ``Net``, ``blocks.Net``.
        """
        if steps <= 0 or _NO_MODEL.search(dotted):
            return None
        tree = parsed(self._texts.get(path, ""))
        if tree is None:
            return None
        found = _class(tree, dotted)
        if found is not None:
            bases = (ast.unparse(base) for base in found.bases)
            known = (self.framework(path, base, steps - 1) for base in bases)
            return next(filter(None, known), None)
        whole = full_name(tree, dotted)
        return _root(whole) or self._elsewhere(path, whole, steps - 1)

    def _elsewhere(self, path: str, whole: str, steps: int) -> str | None:
        """What a name that is imported from another file of the project is."""
        parts = whole.split(".")
        for end in range(len(parts) - 1, 0, -1):
            for other in self._files(path, parts[:end]):
                found = self.framework(other, ".".join(parts[end:]), steps)
                if found is not None:
                    return found
        return None

    def _files(self, path: str, module: list[str]) -> Iterator[str]:
        """The files that a module's name can mean in one of ``path``, the nearest first."""
        if module[0] == "":
            yield from self._beside(path, module)
            return
        tail = "/".join(module)
        ends = (f"{tail}.py", f"{tail}/__init__.py")
        for other in sorted(self._texts, key=len):
            if other.endswith(ends) and any(
                other in (e, f"src/{e}") or other.endswith(f"/{e}") for e in ends
            ):
                yield other

    def _beside(self, path: str, module: list[str]) -> Iterator[str]:
        """Files by a relative name: an empty part for each dot that it begins with."""
        names = [name for name in module if name]
        folder = path.split("/")[: -(len(module) - len(names))]
        stem = "/".join([*folder, *names])
        yield from (each for each in (f"{stem}.py", f"{stem}/__init__.py") if each in self._texts)


def _root(whole: str) -> str | None:
    return next((name for name, root in _ROOTS.items() if root.fullmatch(whole)), None)


def _class(tree: ast.AST, dotted: str) -> ast.ClassDef | None:
    """The class of a dotted name that a file defines itself."""
    around: ast.AST = tree
    for name in dotted.split("."):
        inside = (node for node in ast.walk(around) if isinstance(node, ast.ClassDef))
        found = next((node for node in inside if node.name == name), None)
        if found is None:
            return None
        around = found
    return around if isinstance(around, ast.ClassDef) else None


def full_name(tree: ast.Module, dotted: str) -> str:
    """A name of a file by what is imported under it: ``F.relu`` as ``torch.nn.functional.relu``.

    Relative imports begin with a dot for each of theirs.
    """
    first, _, rest = dotted.partition(".")
    bound = imports(tree).get(first, first)
    return f"{bound}.{rest}" if rest else bound


def imports(tree: ast.Module) -> dict[str, str]:
    """What a file imports, by the names that it gives them."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                name = each.asname or each.name.partition(".")[0]
                found[name] = each.name if each.asname else name
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            joined = module if module.endswith(".") or not module else f"{module}."
            for each in node.names:
                found[each.asname or each.name] = f"{joined}{each.name}"
    return found
