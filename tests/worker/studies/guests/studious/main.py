"""A guest that speaks of four APIs as one that studies a library does, well or badly.

How is said by the order's oracles: ``dies`` after each API, ``dies-at-once``,
``hangs`` at the third API, ``waits`` there if nothing was done before, finds the
fourth ``random``, or a row to send instead of a true one.
"""

import json
import os
import socket
import sys
import time

APIS = ("torch.abs", "torch.add", "torch.lcm", "torch.relu")


class StudyConnection:
    def __init__(self, descriptor):
        self.socket = socket.socket(fileno=descriptor)

    def receive(self):
        length = int.from_bytes(self._exactly(4), "big")
        return json.loads(self._exactly(length))

    def send(self, message):
        payload = json.dumps(message).encode()
        self.socket.sendall(len(payload).to_bytes(4, "big") + payload)

    def _exactly(self, count):
        received = b""
        while len(received) < count:
            piece = self.socket.recv(count - len(received))
            if not piece:
                sys.exit(0)
            received += piece
        return received


def main(descriptor):
    talk = StudyConnection(descriptor)
    order = talk.receive()
    how = order["oracles"] or []
    if "dies-at-once" in how:
        sys.stderr.write("a library that cannot be loaded\n")
        os._exit(1)
    done = set(order["done"].get("verifying", ()))
    chosen = [name for name in APIS if name in (order["apis"] or APIS)]
    for number, name in enumerate(chosen):
        if name in done:
            continue
        if number == 2 and ("hangs" in how or ("waits" in how and not done)):
            time.sleep(3600)
        rows = (
            list(told(name, order["task"], how))
            if not how or "{" not in how[0]
            else [json.loads(how[0])]
        )
        rows.append({"kind": "checked", "stage": "verifying", "name": name})
        talk.send(
            {"type": "progress", "stage": "verifying", "done": number + 1, "total": 4, "rows": rows}
        )
        if "dies" in how:
            os.kill(os.getpid(), 11)
    version = "9.9" if "other" in how else "2.13.0+cpu"
    ended = {"complete": False} if "late" in how else {}
    talk.send({"type": "studied", "version": version, "notes": ["a note"], **ended})
    talk.receive()


def told(name, task, how):
    short = name.rpartition(".")[2]
    status = "random" if "random" in how and short == "relu" else "covered"
    yield {"kind": "api", "name": name, "parameters": ["input"], "calls": 3, "status": status}
    if task == "relations":
        target = "torch.Tensor." + short
        yield {
            "kind": "relation",
            "source": name,
            "target": target,
            "template": target + "(input)",
            "holds": "value" if short != "lcm" else "status",
            "inputs": 12,
        }
        return
    yield {
        "kind": "divergence",
        "api": name,
        "rule": "crash" if short == "lcm" else "value",
        "relation": "value",
        "related": "torch.Tensor." + short + "(input)",
        "call": name + "(torch.tensor([1.0]))",
        "outcome": "SIGFPE",
        "expected": "tensor([1.])",
    }
