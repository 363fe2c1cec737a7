"""Ways to see or touch other processes."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import tempfile
import time
from pathlib import Path

from .battery_support import Attacks, Canary, call

PTRACE_TRACEME = 0
PTRACE_SEIZE = 0x4206
MARK = ctypes.create_string_buffer(8)
PARENT = os.getppid()


def own_environment(canary: Canary) -> str:
    """Find the host's secret in our own environment."""
    found = [name for name, value in os.environ.items() if canary.token in value]
    return ", ".join(found)


def other_environments(canary: Canary) -> str:
    """Find the host's secret in the environment of any process."""
    return _found("environ", canary.token)


def process_list(canary: Canary) -> str:
    """Find the host's canary among the processes."""
    return _found("cmdline", canary.token)


def _found(name: str, token: str) -> str:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            content = (process / name).read_bytes()
        except OSError:
            continue
        if token.encode() in content:
            return f"in {process / name}"
    return ""


def _elsewhere(canary: Canary) -> bool:
    try:
        return Path("/proc/self/ns/pid").readlink().name != canary.process_namespace
    except OSError:
        return False


def signal_host(canary: Canary) -> str:
    """Signal the host's canary, which notes it, with a signal that ends nobody."""
    os.kill(canary.pid, signal.SIGURG)
    return "" if _elsewhere(canary) else f"signalled {canary.pid}"


def signal_parent(canary: Canary) -> str:
    """Find that the process which started us could be signalled."""
    if _elsewhere(canary) or canary.host != PARENT:
        return ""
    os.kill(PARENT, 0)
    return f"may signal {PARENT}"


def signal_everybody(canary: Canary) -> str:
    """Signal a process through a descriptor of it."""
    descriptor = call("pidfd_open", canary.pid, 0)
    call("pidfd_send_signal", descriptor, signal.SIGURG, 0, 0)
    return "" if _elsewhere(canary) else f"signalled {canary.pid}"


def trace_host(canary: Canary) -> str:
    """Trace the host's canary."""
    call("ptrace", PTRACE_SEIZE, canary.pid, 0, 0)
    return f"traced {canary.pid}"


def trace_child(_canary: Canary) -> str:
    """Have ourselves traced."""
    call("ptrace", PTRACE_TRACEME, 0, 0, 0)
    return "traced"


def memory_of_host(canary: Canary) -> str:
    """Read the host's secret in the memory of its canary."""
    process = Path(f"/proc/{canary.pid}")
    (stack,) = [x for x in (process / "maps").read_text().splitlines() if x.endswith("[stack]")]
    start, end = (int(address, 16) for address in stack.split()[0].split("-"))
    with (process / "mem").open("rb", buffering=0) as memory:
        memory.seek(start)
        return "read it" if canary.token.encode() in memory.read(end - start) else ""


def read_memory(_canary: Canary) -> str:
    """Read another process's memory: our parent's."""
    ours, theirs = _vector(ctypes.create_string_buffer(8)), _vector(MARK)
    call("process_vm_readv", os.getppid(), ours, 1, theirs, 1, 0)
    return "read it"


def write_memory(_canary: Canary) -> str:
    """Write another process's memory: our parent's."""
    ours, theirs = _vector(ctypes.create_string_buffer(8)), _vector(MARK)
    call("process_vm_writev", os.getppid(), ours, 1, theirs, 1, 0)
    return "wrote it"


def _vector(buffer: ctypes.Array[ctypes.c_char]) -> bytes:
    return ctypes.addressof(buffer).to_bytes(8, "little") + len(buffer).to_bytes(8, "little")


def steal_descriptor(_canary: Canary) -> str:
    """Take a descriptor out of another process."""
    process = call("pidfd_open", os.getppid(), 0)
    return f"descriptor {call('pidfd_getfd', process, 0, 0)}"


def inherited_descriptors(canary: Canary) -> str:
    """Find a descriptor that the host forgot to close."""
    return ", ".join(map(str, canary.descriptors))


ATTACKS: Attacks = {
    "the host's environment": own_environment,
    "environments in /proc": other_environments,
    "the host's processes": process_list,
    "signalling a host process": signal_host,
    "signalling by descriptor": signal_everybody,
    "signalling the parent": signal_parent,
    "tracing a host process": trace_host,
    "tracing a child": trace_child,
    "memory of a host process in /proc": memory_of_host,
    "reading another process's memory": read_memory,
    "writing another process's memory": write_memory,
    "taking another process's descriptor": steal_descriptor,
    "inherited descriptors": inherited_descriptors,
}

FORKS = 200


def processes(_canary: Canary) -> str:
    """Start 200 sleeping processes."""
    children: list[int] = []
    try:
        for _ in range(FORKS):
            child = os.fork()
            if child == 0:
                time.sleep(10)
                os._exit(0)
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
    return f"{FORKS} processes"


def address_space(canary: Canary) -> str:
    """Reserve more memory than one process may have."""
    return f"{len(bytearray(canary.address_space))} bytes"


def file_size(canary: Canary) -> str:
    """Make a file longer than allowed, without filling it."""
    with tempfile.TemporaryFile() as file:
        file.truncate(canary.file_size + 1)
        return f"{canary.file_size + 1} bytes"


def open_files(canary: Canary) -> str:
    """Open more files than allowed."""
    for _ in range(canary.open_files):
        os.dup(0)
    return f"{canary.open_files} more files"


def raise_limits(_canary: Canary) -> str:
    """Raise a limit again."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard + 1))
    return f"raised to {hard + 1} open files"


def core_dump(_canary: Canary) -> str:
    """Leave a core dump."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    return f"{soft}, {hard}" if soft or hard else ""


RESOURCE_ATTACKS: Attacks = {
    "many processes": processes,
    "address space": address_space,
    "a file too long": file_size,
    "many open files": open_files,
    "raising a limit": raise_limits,
    "core dumps": core_dump,
}
