"""Files that the project opens: those that stand for the input, and those that are not here."""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import os
import pickle
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, Generator, List, Optional, Set, Tuple

from ..protocol import argument_decoding
from ..runtime import assumptions, standins
from ..runtime.call_outcomes import is_own

PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp", ".tif", ".tiff")
SOUNDS = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".raw", ".pcm", ".m4a", ".amr")
TEXTS = (".txt", ".md", ".csv", ".text", ".log")
_MEDIA = PICTURES + SOUNDS + TEXTS
_EMPTY = {
    ".json": b"{}", ".yaml": b"{}", ".yml": b"{}", ".ini": b"", ".toml": b"", ".cfg": b"",
    ".pkl": b"N.", ".pickle": b"N.",
}  # fmt: skip
_LINE = b"1\n"
"""The text of a missing file that is no input."""
_NEAR = 6
_KERNEL_FOLDERS = ("proc", "sys", "dev")
_original: Callable[..., Any] = builtins.open
_stat = os.stat


@dataclass
class _Files:
    """The files that this process knows of.

    ``bases`` are folders that a path may be relative to, the workplace first.
    ``placed`` are the files to open instead, by name; ``written`` the names
    that the run in progress wrote; ``wanted`` what the code asked for; ``moved``
    the places of what cannot be written where the code wants it; ``listed`` the
    files that a missing folder is assumed to have.
    """

    root: str = ""
    bases: List[str] = field(default_factory=list)
    placed: Dict[str, str] = field(default_factory=dict)
    written: Set[str] = field(default_factory=set)
    wanted: Dict[str, None] = field(default_factory=dict)
    moved: Dict[str, str] = field(default_factory=dict)
    listed: Set[str] = field(default_factory=set)


_known = _Files()


def intercept_opening(root: str) -> None:
    """Open inputs under any folder for the project's own code; blank pictures for missing ones."""
    _known.root = root

    def opened(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        file = _with_slashes(file)
        name = _noted(file, mode)
        if name in _known.placed:
            return _original(_known.placed[name], mode, *args, **options)
        try:
            return _original(_moved(file), mode, *args, **_readable(file, mode, args, options))
        except OSError as error:
            last = Path(file).name if isinstance(file, (str, Path)) else ""
            if not last or not is_asked(root):
                raise
            instead = _instead(error, file, mode)
            if instead is None:
                raise
            return _original(instead, mode, *args, **options)

    builtins.open = opened
    io.open = opened
    os.stat = _statistics
    os.mkdir = _making(os.mkdir, root)
    os.listdir = _listing(os.listdir, root)  # type: ignore[assignment]
    os.remove = _removing(os.remove)
    os.unlink = os.remove
    os.chmod = _changing(os.chmod)
    os.utime = _changing(os.utime)
    pickle.loads = _unpickling(pickle.loads, root)
    pickle.load = _unpickling(pickle.load, root)


def _with_slashes(file: Any) -> Any:
    """Return a path that is written for Windows as it is here, where there is such a file."""
    if not isinstance(file, str) or "\\" not in file or os.path.lexists(file):
        return file
    native = file.replace("\\", "/")
    for place in (native, str(Path(_known.root, name_of(native)))):
        if os.path.lexists(place):
            return place
    return file


def _readable(file: Any, mode: str, args: Tuple[Any, ...], options: Dict[str, Any]) -> Any:
    """Return options that read a text of the project as a machine with another encoding does."""
    is_text = "r" in mode and "b" not in mode and not args[1:] and "encoding" not in options
    if not is_text or not isinstance(file, (str, Path)) or not _is_foreign_text(file):
        return options
    return {**options, "encoding": "cp1252", "errors": "replace"}


def _is_foreign_text(file: Any) -> bool:
    """Return whether a file of the project is a small text that is not UTF-8."""
    full = Path(_absolute(str(file)))
    if not str(full).startswith(_absolute(_known.root) + os.sep) or not full.is_file():
        return False
    content = full.read_bytes() if full.stat().st_size <= MOST_BYTES else b""
    try:
        content.decode()
    except UnicodeDecodeError:
        return True
    return False


def _instead(error: OSError, file: Any, mode: str) -> Optional[str]:
    """Return what to open instead of a file that is missing, or cannot be written here."""
    is_new = not mode.startswith("r")
    if any(letter in mode for letter in "wax+") and (is_new or Path(file).exists()):
        return _writable(file, error)
    if not isinstance(error, FileNotFoundError):
        return None
    last = Path(file).name
    return argument_decoding.scratch(last) or _made_up(last, binary="b" in mode)


def _writable(path: Any, error: OSError) -> Optional[str]:
    """Return a place for what cannot be written where the code wants it."""
    if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT):
        return None
    full = Path(_absolute(os.fspath(path)))
    if full.parts[1:2] and full.parts[1] in _KERNEL_FOLDERS:
        return None
    place = Path(tempfile.mkdtemp(prefix="moved-"), full.name)
    with contextlib.suppress(OSError):
        shutil.copyfile(full, place)
    _known.moved[str(full)] = str(place)
    return str(place)


def _moved(path: Any) -> Any:
    """Return where a path, or a folder around it, has moved to; else the path itself."""
    if not _known.moved or not isinstance(path, (str, os.PathLike)):
        return path
    full = Path(_absolute(os.fspath(path)))
    for folder in (full, *full.parents):
        place = _known.moved.get(str(folder))
        if place is not None:
            found = Path(place, full.relative_to(folder))
            return str(found) if os.path.lexists(found.parent) else path
    return path


def _made_up(name: str, *, binary: bool) -> Optional[str]:
    """Return a file that stands in for a missing one, made by its suffix."""
    content = assumptions.content()
    if _is_picture(name) and (binary or content is not None):
        made = content if isinstance(content, bytes) else argument_decoding.BLANK
    elif content is None:
        return None
    elif isinstance(content, str):
        made = _EMPTY.get(Path(name).suffix.lower(), content.encode())
    else:
        given = content if isinstance(content, bytes) and binary else _LINE
        made = _EMPTY.get(Path(name).suffix.lower(), given)
    standins.note(f"the file {name}")
    place = Path(tempfile.mkdtemp(prefix="made-"), name)
    place.write_bytes(made)
    return str(place)


def _making(original: Callable[..., None], root: str) -> Callable[..., None]:
    def mkdir(path: Any, *args: Any, **options: Any) -> None:
        try:
            original(_moved(path), *args, **options)
        except OSError as error:
            is_new = not os.path.lexists(path) and is_asked(root)
            place = _writable(path, error) if is_new else None
            if place is None:
                raise
            original(place, *args, **options)

    return mkdir


def _listing(original: Callable[..., List[str]], root: str) -> Callable[..., List[str]]:
    def listdir(path: Any = ".") -> List[str]:
        try:
            return original(_moved(path))
        except FileNotFoundError:
            content = assumptions.content()
            if written := _written_below(path):
                return written
            if content is None or not is_asked(root):
                raise
            name = "made-up.txt" if isinstance(content, str) else "made-up.png"
            _known.listed.add(_absolute(str(Path(path, name))))
            return [name]

    return listdir


def _written_below(folder: Any) -> List[str]:
    """Return the names of what was written to a folder that is missing."""
    full = Path(_absolute(os.fspath(folder)))
    return [Path(path).name for path in _known.moved if Path(path).parent == full]


def _changing(original: Callable[..., None]) -> Callable[..., None]:
    def change(path: Any, *args: Any, **options: Any) -> None:
        original(_moved(path), *args, **options)

    return change


def _unpickling(original: Callable[..., Any], root: str) -> Callable[..., Any]:
    """Let what a file that is not here should hold be made up, where a run assumes something."""

    def load(*args: Any, **options: Any) -> Any:
        try:
            return original(*args, **options)
        except (pickle.UnpicklingError, EOFError):
            if not assumptions.is_assuming() or not is_asked(root):
                raise
            return standins.Inert("pickle.load()")

    return load


def work_in(place: str) -> None:
    """Name files below ``place`` and below the project by their relative paths."""
    _known.bases = [str(Path(place).resolve()), _absolute(_known.root)]


@contextlib.contextmanager
def file_placed(name: str, path: str) -> Generator[None, None, None]:
    """Let code that opens ``name`` find the file at ``path``, until it writes its own."""
    _known.written.clear()
    _known.placed[name] = path
    try:
        yield
    finally:
        _known.placed.clear()


def wanted_files() -> List[str]:
    """The pictures, sounds and texts that the code has asked for, the latest first."""
    return list(reversed(_known.wanted))


def forget_files() -> None:
    """Forget what the code has asked for, and what it wrote."""
    _known.wanted.clear()
    _known.written.clear()


def stands_for(path: Any) -> Optional[str]:
    """The input's file, where the code opens a place of the input by another way."""
    return _known.placed.get(_noted(path, "r"))


def patch_imread(module: Any) -> None:
    """Let ``cv2.imread`` find inputs and blank pictures as ``open`` does."""
    original: Callable[..., Any] = module.imread

    def imread(path: Any, *args: Any) -> Any:
        instead = stands_for(path)
        image = original(instead or path, *args)
        name = str(path)
        if image is not None or Path(name).exists():
            return image
        made = argument_decoding.scratch(Path(name).name)
        if made is None and not _is_picture(name):
            return None
        return original(made or argument_decoding.blank_path(), *args)

    module.imread = imread


def patch_soundfile(module: Any) -> None:
    """Let ``soundfile`` find the input, as ``open`` does."""
    original: Callable[..., Any] = module.SoundFile.__init__

    def init(self: Any, file: Any, *args: Any, **options: Any) -> None:
        original(self, stands_for(file) or file, *args, **options)

    module.SoundFile.__init__ = init


# -------------------------------------------------------------------- names


def name_of(file: Any) -> str:
    """A path as it is on any machine: relative to the project, or to the user's home."""
    if not isinstance(file, (str, os.PathLike)):
        return ""
    spelled = os.fspath(file)
    if not isinstance(spelled, str):
        return ""
    full = _absolute(spelled)
    for base in _known.bases:
        if full.startswith(base + os.sep):
            return full[len(base) + 1 :]
    home = os.environ.get("HOME", "").rstrip(os.sep)
    return "~" + full[len(home) :] if home and full.startswith(home + os.sep) else full


def _absolute(path: str) -> str:
    return os.path.normpath(Path(path).absolute())


def _noted(file: Any, mode: str) -> str:
    """The name of a file of the kinds that hold inputs, noted where the code reads it."""
    if not isinstance(file, (str, os.PathLike)):
        return ""
    if not (_known.placed or str(file).lower().endswith(_MEDIA)):
        return ""
    name = name_of(file)
    if not name or argument_decoding.is_scratch(str(file)):
        return ""
    if any(letter in mode for letter in "wax+"):
        _known.written.add(name)
        _known.placed.pop(name, None)
    elif name not in _known.written and name.lower().endswith(_MEDIA) and is_asked(_known.root):
        _known.wanted.pop(name, None)
        _known.wanted[name] = None
    return name


def _statistics(path: Any, *args: Any, **options: Any) -> os.stat_result:
    return _stat(stands_for(path) or _moved(path), *args, **options)


def _removing(original: Callable[..., None]) -> Callable[..., None]:
    def remove(path: Any, *args: Any, **options: Any) -> None:
        listed = isinstance(path, (str, os.PathLike)) and _absolute(str(path)) in _known.listed
        if _known.placed.pop(_noted(path, "r"), None) is None and not listed:
            original(_moved(path), *args, **options)

    return remove


def is_asked(root: str, above: int = 2) -> bool:
    """Return whether the project's own code asks, ``above`` frames up or through a library."""
    frame: Any = sys._getframe(above)  # pyright: ignore[reportPrivateUsage]
    for _ in range(_NEAR):
        if frame is not None and is_own(frame.f_code.co_filename, root):
            return True
        frame = frame and frame.f_back
    return False


def _is_picture(name: str) -> bool:
    return name.lower().endswith(PICTURES)


MOST_BYTES = 1 << 20
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_EVENTS: Dict[str, Tuple[int, ...]] = {
    "open": (0,),
    "os.mkdir": (0,),
    "os.rename": (0, 1),
    "os.remove": (0,),
    "os.link": (1,),
    "os.symlink": (1,),
    "sqlite3.connect": (0,),
}
"""Events of the interpreter that change files, and which of their arguments are paths."""


class _Watch:
    """The former contents of the paths that the call in progress changes; ``None``: nothing."""

    def __init__(self) -> None:
        self.root = ""
        self.is_on = False
        self._before: Dict[str, Optional[bytes]] = {}

    def hear(self, event: str, given: Tuple[Any, ...]) -> None:
        if not self.is_on or event not in _EVENTS:
            return
        if event == "open" and not (isinstance(given[2], int) and given[2] & _WRITING):
            return
        self.is_on = False
        try:
            for place in _EVENTS[event]:
                self._note(given[place])
        finally:
            self.is_on = True

    def _note(self, path: Any) -> None:
        if type(path) not in (str, bytes) or not is_asked(self.root, above=3):
            return
        full = Path(os.fsdecode(path)).absolute()
        if str(full) in self._before or argument_decoding.is_scratch(str(full)):
            return
        if not os.path.lexists(full):
            self._before[str(full)] = None
        elif full.is_file() and not full.is_symlink() and full.stat().st_size <= MOST_BYTES:
            self._before[str(full)] = full.read_bytes()

    def undo(self) -> None:
        changed, self._before = list(self._before.items()), {}
        for path, contents in reversed(changed):
            with contextlib.suppress(OSError):
                _put_back(Path(path), contents)


_watch = _Watch()


def watch_writing(root: str) -> None:
    """Watch what code below ``root`` writes."""
    if not _watch.root:
        sys.addaudithook(_watch.hear)
    _watch.root = root


@contextlib.contextmanager
def undo_writing() -> Generator[None, None, None]:
    """Undo at the end what the block writes; a block inside another leaves that to it."""
    if _watch.is_on:
        yield
        return
    _watch.is_on = True
    try:
        yield
    finally:
        _watch.is_on = False
        _watch.undo()


def _put_back(path: Path, contents: Optional[bytes]) -> None:
    if contents is not None:
        path.write_bytes(contents)
    elif path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        path.unlink()
