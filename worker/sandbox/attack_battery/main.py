"""Tries the attacks one by one, each in a process of its own."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
from typing import Any

from . import files, kernel, network, processes, resources
from .canary import Attack, Attacks, Canary
from .lasting import LASTING

ATTACKS: Attacks = {
    **network.ATTACKS,
    **processes.ATTACKS,
    **files.ATTACKS,
    **kernel.ATTACKS,
    **resources.ATTACKS,
}
SECONDS = 5.0


def main(descriptor: int) -> None:
    """Read the canary and what to try, try it, print a line of JSON for each."""
    inherited = tuple(filter(_is_open, range(3, 256)))
    orders = _orders(descriptor)
    extra = tuple(number for number in inherited if number != descriptor)
    canary = Canary(**orders["canary"], descriptors=extra)
    if orders["lasting"]:
        LASTING[orders["lasting"]](canary)
        return
    for name, attack in ATTACKS.items():
        if orders["only"] and name not in orders["only"]:
            continue
        held, detail = _tried(attack, canary)
        line = json.dumps({"attack": name, "held": held, "detail": detail})
        os.write(1, line.encode() + b"\n")


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _orders(descriptor: int) -> dict[str, Any]:
    sock = socket.socket(fileno=os.dup(descriptor))
    with sock, sock.makefile("rb") as stream:
        length = int.from_bytes(stream.read(4), "big")
        orders: dict[str, Any] = json.loads(stream.read(length))
        return orders


def _tried(attack: Attack, canary: Canary) -> tuple[bool, str]:
    """Return whether it was held, and what it got or what held it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.write(writing, json.dumps(_outcome(attack, canary)).encode())
        os._exit(0)
    os.close(writing)
    ready, _, _ = select.select([reading], [], [], SECONDS)
    said = os.read(reading, 4096) if ready else b""
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if said:
        held, detail = json.loads(said)
        return held, detail
    return True, f"ended with status {os.waitstatus_to_exitcode(status)} without it"


def _outcome(attack: Attack, canary: Canary) -> tuple[bool, str]:
    try:
        got = attack(canary)
    except (OSError, MemoryError, ValueError) as error:
        return True, str(error)[:500] or type(error).__name__
    return not got, got[:500]
