"""Ways to see or touch other processes."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from .canary import Attacks, Canary
from .syscalls import call

PTRACE_TRACEME = 0
PTRACE_SEIZE = 0x4206
MARK = ctypes.create_string_buffer(8)


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


def signal_host(canary: Canary) -> str:
    """Signal the host's canary."""
    os.kill(canary.pid, 0)
    return f"signalled {canary.pid}" if process_list(canary) else ""


def trace_host(canary: Canary) -> str:
    """Trace the host's canary."""
    call("ptrace", PTRACE_SEIZE, canary.pid, 0, 0)
    return f"traced {canary.pid}"


def trace_child(_canary: Canary) -> str:
    """Have ourselves traced."""
    call("ptrace", PTRACE_TRACEME, 0, 0, 0)
    return "traced"


def read_memory(_canary: Canary) -> str:
    """Read another process's memory: our parent's."""
    ours, theirs = _vector(ctypes.create_string_buffer(8)), _vector(MARK)
    call("process_vm_readv", os.getppid(), ours, 1, theirs, 1, 0)
    return "read it"


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
    "tracing a host process": trace_host,
    "tracing a child": trace_child,
    "reading another process's memory": read_memory,
    "taking another process's descriptor": steal_descriptor,
    "inherited descriptors": inherited_descriptors,
}
