"""Packages of a project's own tests and examples, from its requirements for development.

A test whose library is missing skips itself, and says nothing of the change.  Of what is declared
for development, tests or an extra, only that is taken which the Python files of the tree import.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from worker.environments.declarations.declaration import (
    Declaration,
    RequiredPackage,
    TargetPython,
    read_requirement,
)
from worker.environments.declarations.project_files import (
    config,
    group_requirements,
    poetry_requirements,
    setup_arguments,
)
from worker.environments.declarations.requirement_files import RequirementFiles
from worker.environments.declarations.tree_files import TreeFiles, Unreadable, table, texts

MOST_PACKAGES = 12
MOST_FILES = 3000
MOST_FOLDERS = 2000
_FOLDERS = ("", "requirements", "tests", "test")
_DEVELOPMENT = re.compile(
    r"(?:[\w.-]*[-_.])?requirements?(?:[-_.](?:dev\w*|tests?|testing|extras?|optional|all))?\.(?:txt|in)\Z"
    r"|(?:[\w.-]*[-_.]?)?(?:dev\w*|tests?|testing|extras?|optional|all)\.(?:txt|in)\Z",
    re.IGNORECASE,
)
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)
_ELSEWHERE = frozenset(
    {".git", ".github", "benchmark", "benchmarks", "build", "ci", "dist", "doc", "docs"}
    | {"env", "node_modules", "scripts", "site-packages", "sphinx", "tools", "venv", "website"}
)
"""Folders whose files are neither the project's code nor its tests or examples."""
_MODULES: Mapping[str, str] = {
    "absl-py": "absl",
    "beautifulsoup4": "bs4",
    "biopython": "Bio",
    "faiss-cpu": "faiss",
    "grpcio": "grpc",
    "hydra-core": "hydra",
    "opencv-contrib-python": "cv2",
    "opencv-contrib-python-headless": "cv2",
    "opencv-python": "cv2",
    "opencv-python-headless": "cv2",
    "pillow": "PIL",
    "pymupdf": "fitz",
    "python-dateutil": "dateutil",
    "python-dotenv": "dotenv",
    "python-levenshtein": "Levenshtein",
    "pywavelets": "pywt",
    "pyyaml": "yaml",
    "scikit-image": "skimage",
    "scikit-learn": "sklearn",
    "simpleitk": "SimpleITK",
    "umap-learn": "umap",
}
"""Modules of packages that have another name."""
_NOT_WANTED = re.compile(
    r"pytest(?:-.*)?|hypothesis(?:-.*)?|coverage|tox|nox|setuptools|wheel|pip|build|twine|cython"
    r"|tensorflow.*|tf-nightly|jax|jaxlib|paddlepaddle.*|mxnet.*|cupy.*|nvidia-.*|tensorrt.*|vllm"
    r"|deepspeed|apex|bitsandbytes|xformers|flash-attn|pyspark|ray|jupyter.*|notebook"
    r"|clearml|comet-ml|mlflow.*|wandb"
)
"""Packages that the runner has or does without, those that are larger than what they show, and
those that report to a server."""


def development_packages(
    files: TreeFiles, folder: str, declared: Declaration, target: TargetPython
) -> list[RequiredPackage]:
    """Return what development requires beyond ``declared`` and files import, the most used first.

    At most ``MOST_PACKAGES``.  Unreadable files are left out.
    """
    found = _required(files, folder, target)
    known = {each.name for each in declared.wanted}
    known |= {each.name for each in declared.left_out}
    offered = {
        each.name: each
        for each in reversed(found.wanted)
        if each.name not in known and not _NOT_WANTED.fullmatch(each.name)
    }
    if not offered:
        return []
    used = _imported(files, folder)
    counts = {name: used[_MODULES.get(name, name.replace("-", "_"))] for name in offered}
    order = sorted((name for name in offered if counts[name]), key=lambda e: (-counts[e], e))
    return [offered[name] for name in order[:MOST_PACKAGES]]


def _required(files: TreeFiles, folder: str, target: TargetPython) -> Declaration:
    """Read every group and file of requirements in a folder, whatever it is for."""
    found = Declaration()
    readers = {
        "pyproject.toml": _pyproject,
        "setup.cfg": _setup_cfg,
        "setup.py": _setup_script,
    }
    for name, read in readers.items():
        path = posixpath.join(folder, name)
        if files.has(path):
            try:
                for text in read(files, path, target):
                    read_requirement(found, text, path, target)
            except Unreadable:
                continue
    for inner in _FOLDERS:
        inside = posixpath.join(folder, inner)
        for name in files.names(inside):
            if (inner == "requirements" and name.endswith(".txt")) or _DEVELOPMENT.match(name):
                try:
                    RequirementFiles(files, found, target).read(posixpath.join(inside, name))
                except Unreadable:
                    continue
    return found


def _pyproject(files: TreeFiles, path: str, target: TargetPython) -> Iterator[str]:
    document = files.toml(path)
    groups = table(document.get("dependency-groups"))
    tools = table(document.get("tool"))
    for extra in table(table(document.get("project")).get("optional-dependencies")).values():
        yield from texts(extra)
    for name in groups:
        yield from group_requirements(groups, name)
    yield from texts(table(tools.get("uv")).get("dev-dependencies"))
    for group in table(table(tools.get("pdm")).get("dev-dependencies")).values():
        yield from texts(group)
    yield from poetry_requirements(table(tools.get("poetry")), target)


def _setup_cfg(files: TreeFiles, path: str, _target: TargetPython) -> Iterator[str]:
    document = config(files.text(path))
    extras = "options.extras_require"
    for name in document.options(extras) if document.has_section(extras) else ():
        text = document.get(extras, name)
        yield from (line.strip() for line in text.splitlines() if line.strip())


def _setup_script(files: TreeFiles, path: str, _target: TargetPython) -> Iterator[str]:
    yield from setup_arguments(files.text(path)).extras


def _imported(files: TreeFiles, folder: str) -> Counter[str]:
    """Count the files that import each package, those of tests and examples too."""
    found: Counter[str] = Counter()
    for path in _python_files(files, folder):
        try:
            text = files.text(path)
        except Unreadable:
            continue
        found.update(set(_IMPORT.findall(text)))
    return found


def _python_files(files: TreeFiles, folder: str) -> Iterator[str]:
    waiting, folders, count = [folder], 0, 0
    while waiting and folders < MOST_FOLDERS:
        current = waiting.pop(0)
        folders += 1
        for name in files.names(current):
            path = posixpath.join(current, name)
            if name.endswith(".py") and name not in ("setup.py", "noxfile.py", "conf.py"):
                count += 1
                if count > MOST_FILES:
                    return
                yield path
            elif "." not in name and name not in _ELSEWHERE:
                waiting.append(path)
