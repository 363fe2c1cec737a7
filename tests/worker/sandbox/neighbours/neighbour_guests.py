"""Guests that leave things behind, or look for what others left."""

import ctypes
import json
import os
import resource
import signal
import socket
import struct
import time
from functools import partial
from pathlib import Path

WRITABLE = ("/tmp", "/dev/shm", "/scratch", "/scratch/home")
PTRACE_SEIZE = 0x4206
LIBC = ctypes.CDLL(None, use_errno=True)


def main(descriptor):
    sock = socket.socket(fileno=descriptor)
    message = heard(sock)
    BEHAVIOURS[message["behaviour"]](sock)
    sock.recv(1)


def heard(sock):
    (length,) = struct.unpack(">I", sock.recv(4))
    return json.loads(sock.recv(length))


def say(sock, **facts):
    body = json.dumps({"type": "unprepared", "reason": json.dumps(facts)}).encode()
    sock.sendall(struct.pack(">I", len(body)) + body)


def processes():
    return sorted(int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())


def look(sock):
    """Tell everything that could differ from one guest to the next."""
    folders = {
        place: [
            sorted(path.name for path in Path(place).iterdir()),
            Path(place).stat().st_mode,
            Path(place).stat().st_mtime,
            os.listxattr(place),
        ]
        for place in WRITABLE
    }
    say(
        sock,
        folders=folders,
        processes=len(processes()),
        limits=[resource.getrlimit(number) for number in range(16)],
        affinity=sorted(os.sched_getaffinity(0)),
        nice=os.nice(0),
        ignored=[number for number in range(1, 32) if ignored(number)],
        pending=sorted(signal.sigpending()),
        mask=sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        descriptors=sorted(int(path.name) for path in Path("/proc/self/fd").iterdir()),
        listening=Path("/proc/net/unix").read_text().count("\n"),
        environment=dict(os.environ),
        folder=str(Path.cwd()),
    )


def ignored(number):
    return signal.getsignal(number) == signal.SIG_IGN


def litter(sock):
    """Leave files, odd folders, attributes and modes wherever one can write."""
    wrote = 0
    for place in map(Path, WRITABLE):
        (place / "note").write_text("for the next one")
        deep = place / "deep"
        for _ in range(80):
            deep.mkdir()
            (deep / "inside").write_text("hidden")
            deep = deep / "d"
        (place / "link").symlink_to("/")
        shut = place / "shut"
        shut.mkdir()
        (shut / "inside").write_text("hidden")
        shut.chmod(0)
        wrote += 5
        refused(partial(os.setxattr, place, "user.note", b"for the next one"))
        place.chmod(0o700)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("/tmp/listening")
    Path("/tmp").chmod(0)
    say(sock, wrote=wrote)


def daemons(sock):
    """Leave processes that nothing ends but a kill, in sessions of their own, still forking."""
    for _ in range(8):
        if os.fork() == 0:
            os.setsid()
            for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(number, signal.SIG_IGN)
            if os.fork() == 0:
                breed()
            os._exit(0)
    time.sleep(0.5)
    say(sock, processes=len(processes()))


def breed():
    """Be somebody else every few milliseconds."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if os.fork():
                os._exit(0)
        except OSError:
            pass
        time.sleep(0.005)
    os._exit(0)


def reach_template(sock):
    """Try to read, write, trace, signal and starve the process that forked us."""
    template = os.getppid()
    say(
        sock,
        template=template,
        memory=refused(lambda: os.open(f"/proc/{template}/mem", os.O_RDWR)),
        environment=refused(Path(f"/proc/{template}/environ").read_bytes),
        maps=refused(Path(f"/proc/{template}/maps").read_bytes),
        descriptors=refused(lambda: list(Path(f"/proc/{template}/fd").iterdir())),
        trace=refused(lambda: called(LIBC.ptrace(PTRACE_SEIZE, template, 0, 0))),
        signal=refused(lambda: os.kill(template, 0)),
        stop=refused(lambda: os.kill(template, signal.SIGSTOP)),
        oom_score=refused(lambda: Path(f"/proc/{template}/oom_score_adj").write_text("1000")),
    )


def called(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")


def refused(attempt):
    try:
        attempt()
    except OSError as error:
        return type(error).__name__
    return "it worked"


def change_mounts(sock):
    """Try to change, move and remove what is mounted in a folder that one can write to."""
    (point,) = Path("/tmp").iterdir()
    tries = {
        "write": (point / "note").touch,
        "mode": partial(point.chmod, 0o777),
        "move": partial(point.rename, "/tmp/elsewhere"),
        "remove": point.rmdir,
        "move what is in it": partial(next(point.iterdir()).rename, point / "elsewhere"),
    }
    say(sock, **{name: refused(attempt) for name, attempt in tries.items()})


def lower_limits(sock):
    """Leave the template, and so the next guest, less memory."""
    resource.prlimit(os.getppid(), resource.RLIMIT_AS, (1 << 33, 1 << 33))
    say(sock, done=True)


def pin_processor(sock):
    first = min(os.sched_getaffinity(0))
    os.sched_setaffinity(os.getppid(), {first})
    say(sock, done=True)


def be_nicer(sock):
    os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)
    say(sock, done=True)


def stay(sock):
    time.sleep(120)


def hold_secret(sock):
    """Keep a secret in memory and in files; say later whether we are still there."""
    secret = os.urandom(16).hex()
    for place in WRITABLE:
        (Path(place) / "secret").write_text(secret)
    say(sock, secret=secret)
    heard(sock)
    kept = {(Path(place) / "secret").read_text() for place in WRITABLE}
    say(sock, alive=True, secret=kept.pop() if len(kept) == 1 else "changed")


def hunt(sock):
    """Look for another guest's secret, and signal everybody."""
    orders = heard(sock)
    secret = orders["secret"].encode()
    found = [
        str(path) for place in WRITABLE for path in Path(place).rglob("*") if holds(path, secret)
    ]
    memory = [pid for pid in range(1, 64) if remembers(pid, secret)]
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signalled = refused(lambda: os.kill(orders["pid"], signal.SIGTERM))
    refused(lambda: os.kill(-1, signal.SIGTERM))
    say(sock, processes=len(processes()), files=found, memory=memory, signalled=signalled)


def holds(path, secret):
    try:
        return secret in path.read_bytes()
    except OSError:
        return False


def remembers(pid, secret):
    if pid == os.getpid():
        return False
    try:
        return (
            secret
            in Path(f"/proc/{pid}/environ").read_bytes() + Path(f"/proc/{pid}/cmdline").read_bytes()
        )
    except OSError:
        return False


BEHAVIOURS = {
    behaviour.__name__: behaviour
    for behaviour in (
        *(look, litter, daemons, reach_template, lower_limits, pin_processor, be_nicer, stay),
        *(hold_secret, hunt, change_mounts),
    )
}
