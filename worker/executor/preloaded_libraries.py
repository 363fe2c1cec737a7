"""The libraries that a target's guests may have imported before the project is loaded.

They are what its files import at their top level anyway, from a list of those whose import
depends on nothing that the project does first.  The check of ``sys.modules`` is the same then.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping

from analyzers.detection.file_facts import top_level_package
from analyzers.detection.import_graph import Files
from analyzers.inference.facts import parse_module

LIBRARIES = frozenset(
    {"PIL", "cv2", "einops", "networkx", "numpy", "pandas", "scipy", "skimage", "sklearn"}
    | {"timm", "torch", "torchaudio", "torchvision"}
)
"""Libraries that no rule of interception replaces, and that are slow to import."""
WHOLE = frozenset({"numpy", "torch"})
"""Libraries that import their parts themselves."""
COMPILER = "torch._dynamo"
DRAW_COMPILER = frozenset({"einops", "einx", "torch.optim"})
"""What imports torch's compiler, which takes as long as torch, when it meets tensors."""
MOST_FILES = 200
_DECIDES = re.compile(
    r"\benviron\b|\bputenv\b|\bload_dotenv\b|\bsys\.(?:modules|meta_path|path_hooks)\b"
    r"|\bsetdlopenflags\b|\b__import__\s*="
)
"""What can decide how a library that is imported behind it comes out."""
_READS = re.compile(
    r"\benviron\.get\(|\benviron\[[^\]]*\](?!\s*(?:=[^=]|[-+|]=))|\bin\s+(?:os\.)?environ\b"
    r"|\bfrom\s+os\s+import\b[^\n]*|\bin\s+sys\.modules\b"
)


def preloaded_libraries(
    path: str, texts: Mapping[str, str], hidden: Collection[str] = ()
) -> frozenset[str] | None:
    """Return the modules to import first; ``None`` where the project may change their import."""
    own = {part.removesuffix(".py") for each in texts for part in each.split("/")}
    libraries = LIBRARIES - own - set(hidden)
    files, found = Files(texts, libraries), set[str]()
    seen, waiting, draws_compiler = {path}, [path], False
    while waiting:
        current = waiting.pop()
        text = texts.get(current, "")
        if _DECIDES.search(_READS.sub("", text)):
            return None
        for level, module, name in _imports(text):
            if {top_level_package(module), module, f"{module}.{name}"} & DRAW_COMPILER:
                draws_compiler = True
            if not level and top_level_package(module) in libraries:
                found.add(_whole(module))
                continue
            at = files.resolve(current, level, module)
            child = files.child(at, name) if at and name else None
            for each in (at, child):
                if each is not None and each in texts and each not in seen:
                    seen.add(each)
                    waiting.append(each)
        if len(seen) > MOST_FILES:
            return None
    return frozenset(found | {COMPILER} if draws_compiler and "torch" in found else found)


def _whole(module: str) -> str:
    top = top_level_package(module)
    return top if top in WHOLE else module


def _imports(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the imports of a file's top level, as (level, module, name)."""
    tree = parse_module(text)
    for statement in [] if tree is None else tree.body:
        if isinstance(statement, ast.Import):
            yield from ((0, alias.name, "") for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                yield statement.level, statement.module or "", alias.name
