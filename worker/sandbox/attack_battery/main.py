"""Tries the attacks one by one, each in a process of its own."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import time
import traceback
from typing import Any

from . import file_attacks, kernel_attacks, network_attacks, process_attacks
from .battery_support import Attack, Attacks, Canary
from .lasting_attacks import HOLDING, STAYING

ATTACKS: Attacks = {
    **network_attacks.ATTACKS,
    **process_attacks.ATTACKS,
    **file_attacks.ATTACKS,
    **kernel_attacks.ATTACKS,
    **process_attacks.RESOURCE_ATTACKS,
}
SECONDS = 10.0
LONGEST = 200


def main(descriptor: int) -> None:
    """Read the canary and what to try, try it, print a line of JSON for each."""
    inherited = tuple(filter(_is_open, range(3, 256)))
    orders = _orders(descriptor)
    extra = tuple(number for number in inherited if number != descriptor)
    canary = Canary(**orders["canary"], descriptors=extra)
    alone = orders["alone"]
    if alone in STAYING:
        STAYING[alone](canary)
    elif alone:
        _report(alone, *_outcome(HOLDING[alone], canary))
    else:
        for name in orders["attacks"]:
            _report(name, *_tried(ATTACKS[name], canary))


def _report(name: str, held: bool, detail: str) -> None:  # noqa: FBT001 - an outcome's two parts
    line = json.dumps({"attack": name, "held": held, "detail": detail})
    os.write(1, b"\n" + line.encode() + b"\n")


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
    reading, writing = os.pipe()
    child = _forked()
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


def _forked() -> int:
    """Fork; the processes that an attack before left may take a while to be gone."""
    until = time.monotonic() + SECONDS
    while True:
        try:
            return os.fork()
        except BlockingIOError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def _outcome(attack: Attack, canary: Canary) -> tuple[bool, str]:
    """Return as :func:`_tried`; an attack that is itself at fault was not held."""
    try:
        got = attack(canary)
    except (OSError, MemoryError, ValueError) as error:
        return True, str(error)[:LONGEST] or type(error).__name__
    except Exception:  # noqa: BLE001 - whatever it is, the attack was not tried
        return False, f"the attack itself failed: {traceback.format_exc()[-LONGEST:]}"
    return not got, got[:LONGEST]
