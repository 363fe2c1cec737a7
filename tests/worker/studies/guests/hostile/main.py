"""What a library that is studied could do once it has taken its guest over."""

import json
import os
import socket
import sys
import time

PROGRESS = {"type": "progress", "stage": "verifying", "done": 0, "total": 1, "rows": []}
API = {"kind": "api", "name": "torch.abs", "parameters": [], "calls": 1, "status": "covered"}


class StudyHost:
    def __init__(self, descriptor):
        self.socket = socket.socket(fileno=descriptor)

    def hear(self):
        length = int.from_bytes(self.socket.recv(4, socket.MSG_WAITALL), "big")
        return json.loads(self.socket.recv(length, socket.MSG_WAITALL))

    def say(self, **message):
        self.shout(json.dumps(message).encode())

    def shout(self, payload):
        self.socket.sendall(len(payload).to_bytes(4, "big") + payload)


def main(descriptor):
    host = StudyHost(descriptor)
    order = host.hear()
    WAYS[order["oracles"][0]](host)
    time.sleep(600)


def progresses_without_end(host):
    while True:
        host.say(**PROGRESS)


def sends_rows_without_end(host):
    rows = [{**API, "parameters": ["p" * 9_000]}] * 100
    while True:
        host.say(**{**PROGRESS, "rows": rows})


def announces_four_gibibytes(host):
    host.socket.sendall(b"\xff\xff\xff\xff" + b" " * 1024)


def says_half_a_frame(host):
    host.socket.sendall((500).to_bytes(4, "big") + b'{"type": "progress", ')


def says_what_is_no_number(host):
    host.shout(b'{"type": "progress", "stage": "s", "done": NaN, "total": 1, "rows": []}')


def says_ten_megabytes_in_a_name(host):
    host.say(**{**PROGRESS, "stage": "s" * 10_000_000})


def nests_without_end(host):
    host.shout(b'{"type": ' + b"[" * 100_000)


def answers_something_else(host):
    host.say(type="related", reached=[], beyond=[])


def floods_its_output(host):
    del host
    while True:
        os.write(sys.stderr.fileno(), b"\x1b[2J noise " * 100_000)


def leaves_with_words_for_a_terminal(host):
    del host
    os.write(sys.stderr.fileno(), b"\x1b]0;owned\x07 and \x9b1m out\n")
    os._exit(1)


WAYS = {
    way.__name__: way
    for way in (
        *(progresses_without_end, sends_rows_without_end, announces_four_gibibytes),
        *(says_half_a_frame, says_what_is_no_number, says_ten_megabytes_in_a_name),
        *(nests_without_end, answers_something_else, floods_its_output),
        *(leaves_with_words_for_a_terminal,),
    )
}
