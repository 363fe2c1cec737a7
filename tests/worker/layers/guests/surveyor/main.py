"""A guest that tells of one layer as a survey does, well or as the layers' names say."""

import json
import os
import socket
import sys

ROW = {
    "name": "torch.nn.A",
    "describes": "Applies A.",
    "container": False,
    "keeps_shape": True,
    "example": "torch.nn.A(c=1)",
    "inputs": ["torch.rand((2, 3))"],
    "requires": ["c % g == 0"],
    "parameters": [{"name": "c", "kinds": ["int"], "low": 1.0, "quote": "c > 0"}],
}


def exactly(sock, count):
    received = b""
    while len(received) < count:
        piece = sock.recv(count - len(received))
        if not piece:
            sys.exit(0)
        received += piece
    return received


def main(descriptor):
    sock = socket.socket(fileno=descriptor)

    def send(message):
        payload = json.dumps(message).encode()
        sock.sendall(len(payload).to_bytes(4, "big") + payload)

    order = json.loads(exactly(sock, int.from_bytes(exactly(sock, 4), "big")))
    how = order["names"][0] if order["names"] else ""
    if how == "dies":
        sys.stderr.write("a library that cannot be loaded\n")
        os._exit(1)
    row = {**ROW, **(json.loads(how) if how.startswith("{") else {})}
    send({"type": "progress", "done": 1, "total": 1, "rows": [row]})
    version = "9.9" if how == "other" else "2.13.0+cpu"
    send({"type": "surveyed", "version": version, "trials": 7, "seconds": 0.1})
    exactly(sock, 4)
