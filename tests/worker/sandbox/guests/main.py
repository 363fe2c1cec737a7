"""Behaviours, by the name in the first message."""

import contextlib
import ctypes
import errno
import json
import os
import socket
import struct
import sys
import tempfile
import time
from pathlib import Path

ROOT = []


def main(descriptor):
    sock = socket.socket(fileno=descriptor)
    (length,) = struct.unpack(">I", sock.recv(4))
    message = json.loads(sock.recv(length))
    ROOT.append(message.get("root"))
    BEHAVIOURS[message["behaviour"]](sock)


def frame(payload):
    return struct.pack(">I", len(payload)) + payload


def say(sock, **message):
    sock.sendall(frame(json.dumps(message).encode()))


def describe(sock):
    facts = {
        "uid": os.getuid(),
        "environ": dict(os.environ),
        "project": sorted(path.name for path in Path(ROOT[0]).iterdir()),
        "version": list(sys.version_info[:2]),
        "hash": hash("assayer"),
        "home": Path(os.environ["HOME"]).is_dir(),
        "path": sys.path[0],
    }
    say(sock, type="unprepared", reason=json.dumps(facts))
    sock.recv(1)


def device(sock):
    """Read the device whose path is in the project, or say what refuses it."""
    try:
        found = Path(Path(ROOT[0], "device").read_text()).read_text()
    except OSError as error:
        found = errno.errorcode[error.errno]
    say(sock, type="unprepared", reason=json.dumps(found))
    sock.recv(1)


def sockets(sock):
    families = ("AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG")
    say(sock, type="unprepared", reason=json.dumps({name: opened(name) for name in families}))
    sock.recv(1)


def opened(family):
    """Return what refuses a socket, ``None`` if nothing does."""
    try:
        socket.socket(getattr(socket, family), socket.SOCK_DGRAM).close()
    except OSError as error:
        return errno.errorcode[error.errno]
    return None


def leave(sock):
    print("last words", file=sys.stderr)
    sys.exit(7)


def crash(sock):
    os.abort()


def oversize(sock):
    sock.sendall(b"\xff\xff\xff\xff" + b"x" * 1000)
    time.sleep(60)


def garbage(sock):
    sock.sendall(frame(bytes(range(256))))
    time.sleep(60)


def half(sock):
    sock.sendall(struct.pack(">I", 100) + b'{"type": ')
    time.sleep(60)


def drip(sock):
    sock.sendall(struct.pack(">I", 1000))
    while True:
        sock.sendall(b" ")
        time.sleep(0.05)


def stream(sock):
    while True:
        sock.sendall(b"\x01\xff\xff\xff" + b" " * (1 << 20))


def deep(sock):
    payload = b'{"type": "unprepared", "reason": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    sock.sendall(frame(payload))
    time.sleep(60)


def forged(sock):
    say(sock, type="searched", template=None)
    time.sleep(60)


def silent(sock):
    time.sleep(60)


def chatter(sock):
    while True:
        sys.stderr.write("noise " * 10_000)
        sys.stderr.flush()


def hoard(sock):
    kept = bytearray(os.urandom(1 << 20) * 300)
    say(sock, type="unprepared", reason=str(len(kept)))
    time.sleep(60)


def breed(sock):
    children = []
    try:
        while len(children) < 100:
            child = os.fork()
            if child == 0:
                time.sleep(60)
            children.append(child)
    except OSError:
        pass
    say(sock, type="unprepared", reason=str(len(children)))
    time.sleep(60)


def litter(sock):
    for number in range(1_000_000):
        Path(tempfile.gettempdir(), str(number)).touch()


def spill(sock):
    for number in range(64):
        Path(tempfile.gettempdir(), str(number)).write_bytes(bytes(1 << 20))
    time.sleep(60)


def hide_spilt(sock):
    with contextlib.ExitStack() as kept:
        for _ in range(64):
            file = kept.enter_context(tempfile.TemporaryFile())
            file.write(bytes(1 << 20))
            file.flush()
        time.sleep(60)


def nest(sock):
    os.chdir(tempfile.gettempdir())
    while True:
        Path("d").mkdir()
        os.chdir("d")


def leave_group(sock):
    refused = []
    for leave in (os.setsid, os.setpgrp, lambda: ctypes.CDLL(None).prctl(1, 0)):
        try:
            refused.append(leave() or "")
        except OSError as error:
            refused.append(errno.errorcode[error.errno])
    say(sock, type="unprepared", reason=json.dumps(refused))
    time.sleep(60)


def daemonise(sock):
    if os.fork() == 0:
        with contextlib.suppress(OSError):
            os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    os.wait()
    say(sock, type="unprepared", reason="the daemon has lost its parent")
    time.sleep(60)


def burn(sock):
    while True:
        pass


BEHAVIOURS = {
    behaviour.__name__: behaviour
    for behaviour in (
        *(describe, device, sockets, leave, crash, oversize, garbage, half, drip),
        *(stream, deep, forged, silent, chatter, hoard, breed, litter, burn),
        *(spill, hide_spilt, nest, leave_group, daemonise),
    )
}
