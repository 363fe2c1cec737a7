"""A process that imports libraries once, and forks a guest for each target.

The host starts ``main(descriptor)`` in a sandbox of its own and asks for one guest at a
time; ``docs/guest-protocol.md`` says what comes and goes over the descriptor.  It never
imports code of the project.
"""

from __future__ import annotations

import array
import ctypes
import gc
import importlib
import os
import shutil
import signal
import socket
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence, Set, Tuple

from . import main as guest_main
from .inputs.exploration.hypothesis_draws import set_aside_hypothesis
from .protocol.child_channel import Wire, WireError, unpack
from .runtime import framework_setup
from .runtime.child_processes import end_with_parent, make_undumpable, report_own_failure

_HEADER = struct.Struct(">I")
_LONGEST = 1 << 20
_STANDARD = {0, 1, 2}
_HARMLESS = ("/dev/null", "/dev/urandom", "/dev/random", "/dev/zero")
_FIRST = 1
_END_SECONDS = 5.0
_PAUSE = 0.002


class Unforkable(Exception):  # noqa: N818 - a fact about what was imported
    """No guest can be forked from here; says why."""


class Template:
    """Serves the host: imports libraries, then forks guests until the host goes away."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._wire = Wire(control.fileno())
        self._writable: List[str] = []
        self._home = ""
        self._kept: List[str] = []
        self._guest = 0

    def serve(self) -> None:
        """Answer frame after frame."""
        while True:
            message, descriptors = self._receive()
            if message is None:
                return
            if message["type"] == "preload":
                self._preload(message)
            elif message["type"] == "fork" and len(descriptors) == 2:
                self._fork(descriptors)
            elif message["type"] == "clear":
                self._clear()
            else:
                raise WireError(f"an unknown frame {message['type']!r}")

    def _receive(self) -> Tuple[Optional[Dict[str, Any]], List[int]]:
        """Read a frame and the descriptors that come with it."""
        size = array.array("i").itemsize
        header, ancillary, _, _ = self._control.recvmsg(_HEADER.size, socket.CMSG_SPACE(2 * size))
        descriptors = array.array("i")
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(data[: len(data) // size * size])
        if not header:
            return None, []
        while len(header) < _HEADER.size:
            header += self._control.recv(_HEADER.size - len(header)) or _end()
        (length,) = _HEADER.unpack(header)
        if length > _LONGEST:
            raise WireError(f"a frame of {length} bytes is too long")
        body = b""
        while len(body) < length:
            body += self._control.recv(length - len(body)) or _end()
        return unpack(body), list(descriptors)

    def _preload(self, message: Mapping[str, Any]) -> None:
        self._writable, self._home = list(message["writable"]), message["home"]
        self._kept = list(message["kept"])
        gc.disable()
        try:
            preload(message["modules"], message["layer"])
            _remove_empty_caches(self._writable)
            folders = [*self._writable, self._home]
            _check_forkable(self._control.fileno(), folders, {*self._kept, self._home})
        except Unforkable as reason:
            self._wire.send({"type": "unforkable", "reason": str(reason)[:300]})
            return
        make_undumpable()
        gc.collect()
        gc.freeze()
        gc.enable()
        self._clear()

    def _fork(self, descriptors: Sequence[int]) -> None:
        self._guest = os.fork()
        if self._guest == 0:
            _become_guest(self._control, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        self._wire.send({"type": "forked"})

    def _clear(self) -> None:
        """End all that the last guest started, and remove all that it wrote."""
        if self._guest:
            with suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)  # all of this process namespace but its first and us
            with suppress(ChildProcessError):
                while os.waitpid(-1, 0)[0]:
                    pass
            self._guest = 0
        _await_silence()
        for folder in self._writable:
            _empty(folder, self._kept)
        Path(self._home).mkdir(0o755)
        for folder in (self._home, *self._writable):
            _forget(folder)
        self._wire.send({"type": "clear"})


def _end() -> NoReturn:
    raise WireError("the stream ended inside a frame")


def _processes() -> Set[int]:
    return {int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()}


def _await_silence() -> None:
    """Wait until orphans of the last guest have been buried by the first process."""
    until = time.monotonic() + _END_SECONDS
    while _processes() - {_FIRST, os.getpid()}:
        if time.monotonic() > until:
            raise WireError("the last guest's processes do not end")
        time.sleep(_PAUSE)


def _empty(folder: str, kept: Sequence[str]) -> None:
    """Remove all in a folder but mount points, which nobody can change."""
    Path(folder).chmod(0o1777)
    for entry in list(os.scandir(folder)):
        if entry.path in kept:
            continue
        if entry.is_dir(follow_symlinks=False):
            _open_up(entry.path)
            shutil.rmtree(entry.path)
        else:
            Path(entry.path).unlink()


def _open_up(folder: str) -> None:
    """Let folders below be listed and changed, whatever their modes."""
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        Path(current).chmod(0o700)
        waiting += [e.path for e in os.scandir(current) if e.is_dir(follow_symlinks=False)]


def _forget(folder: str) -> None:
    """Leave nothing of the last guest on a folder itself."""
    for name in os.listxattr(folder):
        os.removexattr(folder, name)
    os.utime(folder, (0, 0))


# ------------------------------------------------------------------- importing


_NEWER = ("torch._dynamo",)
"""Parts that older releases of a library lack."""
_OWN = (
    *("assembly.assembly", "inputs.exploration.exploration", "inputs.project_tests"),
    *("models.execute_frame", "relations.reaching.relate_frame", "search.answer_search"),
)


def preload(modules: Sequence[str], layer: Optional[str]) -> None:
    """Import the guest's own modules and needs, and what its targets import first of all."""
    framework_setup.limit_threads()
    for name in modules:
        try:
            importlib.import_module(name)
        except BaseException as error:
            if name not in _NEWER:
                raise Unforkable(f"{name} cannot be imported: {error!r}") from error
    for name in _OWN:
        importlib.import_module(f".{name}", __package__)
    set_aside_hypothesis(layer)
    if "numpy" in sys.modules:
        importlib.import_module("numpy.random")
    if "torch" in sys.modules:
        agreement = importlib.import_module(".relations.agreement", __package__)
        agreement.hidden_functions()


def _remove_empty_caches(folders: Sequence[str]) -> None:
    """Remove the empty folder of torch's compiler, which makes it again when it writes there."""
    for folder in folders:
        for made in Path(folder).glob("torchinductor_*"):
            with suppress(OSError):
                made.rmdir()


def _check_forkable(control: int, folders: Sequence[str], kept: Set[str]) -> None:
    """Raise ``Unforkable`` for what a fork would share with the next, or would lack."""
    threads = len(list(Path("/proc/self/task").iterdir()))
    if threads > 1:
        raise Unforkable(f"importing started {threads - 1} threads")
    if _children():
        raise Unforkable("importing started processes")
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        raise Unforkable("importing opened a context on the GPU")
    opened = sorted(_descriptors() - {control, *_STANDARD})
    for descriptor in opened:
        with suppress(OSError):
            target = str(Path(f"/proc/self/fd/{descriptor}").readlink())
            if target not in _HARMLESS:
                raise Unforkable(f"importing left {target} open")
    shared = _shared_memory()
    if shared:
        raise Unforkable(f"importing made memory that forks share: {shared}")
    for folder in folders:
        left = [entry for entry in Path(folder).iterdir() if str(entry) not in kept]
        if left:
            raise Unforkable(f"importing wrote {left[0]}")


def _children() -> str:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().strip()


def _descriptors() -> Set[int]:
    return {int(entry.name) for entry in Path("/proc/self/fd").iterdir()}


def _shared_memory() -> str:
    """Return a writable mapping that a fork would share with us, if there is one."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        permissions = line.split()[1]
        if "w" in permissions and "s" in permissions:
            return line
    return ""


# --------------------------------------------------------------------- a guest

_CREATE_RULESET, _RESTRICT_SELF = 444, 446
_SIGNALS = 1 << 1
_SCOPES_SINCE = 6


def _become_guest(control: socket.socket, descriptors: Sequence[int]) -> NoReturn:
    """Serve the host as a guest of its own; never return."""
    try:
        end_with_parent()
        os.setsid()
        control.close()
        channel, output = descriptors
        for stream in (1, 2):
            os.dup2(output, stream)
        os.close(output)
        _keep_signals_inside()
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        guest_main.main(channel)
        os._exit(0)
    except BaseException:
        report_own_failure()
    finally:
        os._exit(1)


def _keep_signals_inside() -> None:
    """Let no signal reach the template from here on, where the kernel offers that (6.12)."""
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < _SCOPES_SINCE:
        return
    attributes = struct.pack("3Q", 0, 0, _SIGNALS)
    rules = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0 or libc.syscall(_RESTRICT_SELF, rules, 0):
        raise OSError(ctypes.get_errno(), "signals cannot be kept inside")
    os.close(rules)


def main(descriptor: int) -> None:
    """Serve the host on an inherited descriptor until it goes away."""
    if os.getppid() != _FIRST or _processes() - {_FIRST, os.getpid()}:
        raise RuntimeError("a template needs a process namespace of its own")
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    os.set_inheritable(descriptor, False)
    Template(socket.socket(fileno=descriptor)).serve()
    os._exit(0)
