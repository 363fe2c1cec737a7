import ctypes
import os
import signal
import sys
import time

SEEN = []


def crash(items):
    return items[3]


def refuse(amount):
    if amount < 0:
        raise ValueError("the amount must not be negative")
    assert amount < 100, "too much"
    return amount


def careless(items):
    raise ValueError("first: %s" % items[5])


def segfault(at):
    if at == 2:
        ctypes.string_at(0)
    return at


def leave(at):
    if at == 1:
        os._exit(0)
    return at


def stop():
    sys.exit("no")


def spin(at):
    while at == 1:
        pass
    return at


def swallow(at):
    while at == 1:
        try:
            while True:
                pass
        except:  # noqa: E722
            continue
    return at


def deaf(at):
    if at == 1:
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        time.sleep(60)
    return at


def flood(lines):
    for _ in range(lines):
        print("x" * 1000)
        os.write(1, b"y" * 1000)
        os.write(2, b"z" * 1000)
    return "done"


def remember(item):
    SEEN.append(item)
    return len(SEEN)


def numbers():
    yield from range(10_000)


async def later(value):
    return value + 1


def show():
    return object(), {"b": 1, "a": 2}, set("cab")


def deep(n):
    return deep(n + 1)


def huge():
    return "x" * 10_000_000


def segfault_always():
    ctypes.string_at(0)


def leave_always():
    os._exit(0)


class Timed:
    def __init__(self, size):
        self.size = size
        if size > 3:
            self.large = True

    def __enter__(self):
        self.data = [0] * self.size
        return self

    def __exit__(self, *args):
        del self.data

    def total(self):
        return sum(self.data)

    def is_large(self):
        return self.large


def without_driver():
    raise_from_library("Torch not compiled with CUDA enabled")


def without_accelerator():
    raise_from_library("Cannot access accelerator device when none is available.")


def raise_from_library(said):
    raise AssertionError(said)


def ask_without_end():
    from google.cloud import vision

    client = vision.ImageAnnotatorClient()
    while True:
        client.label_detection(image=vision.Image(content=b"one"))


def ask(url):
    import httpx

    client = httpx.Client()
    client.close()
    return client.get(url)
