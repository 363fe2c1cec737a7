"""The libraries that a target's guests may have imported before the project is loaded.

They are what its files import at their top level anyway, from a list of those whose import
depends on nothing that the project does first.  The check of ``sys.modules`` is the same then.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import chain, islice

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
"""Modules that import torch's compiler once they are given tensors; it takes as long as torch."""
MOST_FILES, MOST_READ = 200, 60
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
    for number, current in enumerate(_imported(path, texts, files)):
        if number >= MOST_FILES or _DECIDES.search(_READS.sub("", texts.get(current, ""))):
            return None
        modules = (module for level, module, _ in _imports(texts.get(current, "")) if not level)
        found |= {_whole(each) for each in modules if top_level_package(each) in libraries}
    if "torch" in found and _draws_compiler(path, texts, files):
        found.add(COMPILER)
    return frozenset(found)


def _draws_compiler(path: str, texts: Mapping[str, str], files: Files) -> bool:
    """Return whether a file or the packages around it import what brings torch's compiler."""
    parts = path.split("/")[:-1]
    packages = ("/".join([*parts[: n + 1], "__init__.py"]) for n in range(len(parts)))
    read = chain.from_iterable(_imported(e, texts, files) for e in (path, *packages) if e in texts)
    return any(
        {top_level_package(module), module, f"{module}.{name}"} & DRAW_COMPILER
        for each in islice(read, MOST_READ)
        for _, module, name in _imports(texts.get(each, ""))
    )


def _imported(path: str, texts: Mapping[str, str], files: Files) -> Iterator[str]:
    """Yield a file and those of the project that it imports, directly or through them."""
    seen, waiting = {path}, [path]
    while waiting:
        current = waiting.pop()
        yield current
        for level, module, name in _imports(texts.get(current, "")):
            at = files.resolve(current, level, module)
            child = files.child(at, name) if at and name else None
            for each in (at, child):
                if each is not None and each in texts and each not in seen:
                    seen.add(each)
                    waiting.append(each)


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
