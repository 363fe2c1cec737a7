"""The libraries that a target's guests may have imported before the project is loaded.

They are what its files import at their top level anyway, from a list of those whose import
depends on nothing that the project does first.  The check of ``sys.modules`` is the same then.
Where the project may change how they are imported, none is.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import chain, islice

from analyzers.detection.file_facts import imports, top_level_package
from analyzers.detection.import_graph import Files
from analyzers.vocabulary.test_files import is_test_file

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
    r"\benviron\b|\bputenv\b|\bload_dotenv\b|\bsys\.(?:meta_path|path_hooks)\b"
    r"|\bsys\.modules(?:\s*\[[^\]]*\]\s*=(?!=)|\.(?:clear|pop|setdefault|update)\()"
    r"|\bdel\s+sys\.modules\b|\bpatch\.dict\(\s*[\"']?sys\.modules|=\s*sys\.modules\s*$"
    r"|\bsetdlopenflags\b|\b__import__\s*=",
    re.MULTILINE,
)
"""What can decide how a library that is imported behind it comes out."""
_WORDS = (
    *("environ", "putenv", "load_dotenv", "meta_path", "path_hooks", "sys.modules"),
    *("setdlopenflags", "__import__"),
)
"""One of these stands in each text that the expression above is found in."""
_HARMLESS_NAME = (
    r"[\"'](?:\w+_NUM_THREADS|(?:CUDA|JAX|KERAS|KMP|NCCL|TF|VLLM|WANDB|XLA)_\w+|TOKENIZERS_PARALLELISM"
    r"|MASTER_ADDR|MASTER_PORT|(?:LOCAL_)?RANK|WORLD_SIZE)[\"']"
)
"""Variables that none of ``LIBRARIES`` reads while it is imported, or that limit threads: all
guests have one."""
_DECIDES_NOTHING = re.compile(
    r"\benviron\.(?:get|copy)\(|\benviron\[[^\]]*\](?!\s*(?:=[^=]|[-+|]=))"
    r"|\bin\s+(?:os\.)?environ\b|(?:\*\*|\bdict\()(?:os\.)?environ\b"
    rf"|\benviron\[{_HARMLESS_NAME}\]|\benviron\.setdefault\(\s*{_HARMLESS_NAME}"
    r"|\bfrom\s+os\s+import\b[^\n]*|\bsys\.modules\[\s*(?:__name__|f[\"']\{__name__\})[^\]]*\]"
)
_REGISTERS = re.compile(r"\bsys\.modules\[[\w.]+\]\s*=\s*\w+")
"""The registration of a module that was made from a file (importlib's own recipe)."""


def preloaded_libraries(
    path: str, texts: Mapping[str, str], hidden: Collection[str] = ()
) -> frozenset[str]:
    """Return the modules to import first; none where the project may change their import.

    Of a file that draws many others, what those import that come late is not looked at; all of
    its package may change an import then.
    """
    own = {part.removesuffix(".py") for each in texts for part in each.split("/")}
    libraries = LIBRARIES - own - set(hidden)
    files, found = Files(texts, libraries), set[str]()
    for number, current in enumerate(_imported(path, texts, files)):
        if number >= MOST_FILES:
            if any(map(_decides, _package(path, texts))):
                return frozenset()
            break
        if _decides(texts.get(current, "")):
            return frozenset()
        modules = (module for level, module, _ in _imports(texts.get(current, "")) if not level)
        found |= {_whole(each) for each in modules if top_level_package(each) in libraries}
    if "torch" in found and _draws_compiler(path, texts, files):
        found.add(COMPILER)
    return frozenset(found)


@functools.lru_cache(maxsize=10_000)
def _decides(text: str) -> bool:
    if not any(word in text for word in _WORDS):
        return False
    left = _DECIDES_NOTHING.sub("", text)
    if "module_from_spec" in text:
        left = _REGISTERS.sub("", left)
    return _DECIDES.search(left) is not None


def _package(path: str, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the texts of the outermost package around a file, without its tests."""
    parts = path.split("/")[:-1]
    folders = ("/".join(parts[: n + 1]) for n in range(len(parts)))
    outermost = next((each for each in folders if f"{each}/__init__.py" in texts), "/".join(parts))
    start = f"{outermost}/" if outermost else ""
    return (t for each, t in texts.items() if each.startswith(start) and not is_test_file(each))


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


@functools.lru_cache(maxsize=10_000)
def _imports(text: str) -> tuple[tuple[int, str, str], ...]:
    """Return the imports of a file's top level, as (level, module, name)."""
    return tuple((e.level, e.module, e.name or "") for e in imports(text, indented=False))
