"""The file that a campaign is on: in its checkout, or alone with what it imports beside it."""

from __future__ import annotations

import ast
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from analyzers.vocabulary import ChangeSet, FileChange, Skipped
from worker.changes.change_set import read_changes
from worker.changes.checkout import read_regular
from worker.changes.python_source import MAX_BYTES, UnreadableError, line_count, text_of
from worker.check.check_plan import WriteTree
from worker.errors import UsageError
from worker.executor.project_files import declarations

SUFFIX = ".py"
MOST_FILES = 300


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file of a project, by its path there.

    ``folder`` is the top of the project.  ``write`` writes its tree where no checkout has
    it, else it is ``None``.
    """

    path: str
    folder: Path
    changes: ChangeSet
    write: WriteTree | None = None


def open_model_file(file: Path) -> ModelFile:
    """A Python file to run a campaign on, in the working tree of its checkout or by itself.

    A file that is in no checkout, or that git ignores, is taken with the modules beside it
    that it imports, and with what says there which packages are needed.  Raises
    ``UsageError`` for what is no Python file that can be read.
    """
    text = _text(file)
    try:
        ast.parse(text, str(file))
    except SyntaxError as error:
        raise UsageError(
            f"{error.msg}; a campaign needs a file that Python {_PYTHON} can read",
            file=str(file),
            line=error.lineno,
        ) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"it cannot be parsed: {error}", file=str(file)) from error
    return _in_checkout(file.resolve()) or _alone(file.resolve())


_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def _text(file: Path) -> str:
    if file.is_dir():
        raise UsageError(f"{file} is a folder; name one Python file with a model in it")
    if not file.exists():
        raise UsageError(f"{file}: there is no such file")
    if file.suffix != SUFFIX:
        raise UsageError(f"{file} is no Python file: its name does not end with {SUFFIX}")
    try:
        content = read_regular(file.resolve(), MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise UsageError(f"{file} has more than {MAX_BYTES:,} bytes")
        return text_of(file.name, content)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}") from error
    except UnreadableError as error:
        raise UsageError(f"{file}: {error}") from error


def _in_checkout(file: Path) -> ModelFile | None:
    """The file in its checkout; ``None`` where it is in none that can be used, or ignored."""
    try:
        changes = read_changes(file.parent, everything=True)
    except UsageError:
        return None
    root = Path(changes.repository)
    if not file.is_relative_to(root):
        return None
    path = file.relative_to(root).as_posix()
    return ModelFile(path, root, changes) if path in changes.sources else None


# ------------------------------------------------------------------- alone


def _alone(file: Path) -> ModelFile:
    folder = file.parent
    texts = _imported(file)
    changes = ChangeSet(
        repository=str(folder),
        base="",
        head=None,
        changes=(FileChange(file.name, frozenset(range(1, line_count(texts[file.name]) + 1))),),
        sources=texts,
        base_sources={},
    )

    def write(revision: str | None, root: Path) -> tuple[Skipped, ...]:
        del revision
        beside = [each.name for each in sorted(folder.iterdir()) if each.is_file()]
        for path in (*texts, *declarations(beside)):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / path, root / path)
        return ()

    return ModelFile(file.name, folder, changes, write)


def _imported(file: Path) -> dict[str, str]:
    """The texts of a file and of the modules beside it that it imports, by path."""
    folder = file.parent
    texts = {file.name: _text(file)}
    waiting = [file.name]
    while waiting:
        for name in _names(texts[waiting.pop()]):
            for each in _module(folder, name):
                path = each.relative_to(folder).as_posix()
                with suppress(OSError, UsageError):
                    if path not in texts and len(texts) < MOST_FILES:
                        texts[path] = _text(each)
                        waiting.append(path)
    return texts


def _names(text: str) -> Iterator[str]:
    """The first parts of the modules that a text imports."""
    with suppress(SyntaxError, ValueError, RecursionError):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                yield from (each.name.partition(".")[0] for each in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.partition(".")[0]
            elif isinstance(node, ast.ImportFrom):
                yield from (each.name for each in node.names)


def _module(folder: Path, name: str) -> Iterator[Path]:
    """The files of a module of that name in a folder: the file, or all of the package."""
    if (folder / f"{name}{SUFFIX}").is_file():
        yield folder / f"{name}{SUFFIX}"
    elif (folder / name / f"__init__{SUFFIX}").is_file():
        yield from sorted((folder / name).rglob(f"*{SUFFIX}"))[:MOST_FILES]
