"""What hostile code could do once it has taken the guest over."""

import json
import os
import socket
import struct
import sys
import time

RETURNED = {"kind": "returned", "value": "None"}
RESULT = {"index": 0, "ending": RETURNED, "hits": [], "exchanges": [], "seconds": 0.0}
DONE = {"type": "done", "ended": None}
QUESTION = {
    "type": "ask",
    "api": "google.vision.label_detection",
    "request": {"content": {"$bytes": "AA=="}, "parameters": {}},
}


class HostConnection:
    def __init__(self, descriptor):
        self.sock = socket.socket(fileno=descriptor)

    def hear(self):
        (length,) = struct.unpack(">I", self.sock.recv(4, socket.MSG_WAITALL))
        return json.loads(self.sock.recv(length, socket.MSG_WAITALL))

    def say(self, **message):
        payload = json.dumps(message).encode()
        self.sock.sendall(struct.pack(">I", len(payload)) + payload)


def main(descriptor):
    host = HostConnection(descriptor)
    target = host.hear()
    points = [f"{target['path']}::other#0:true", "b.py::victim#0:true"]
    host.say(type="prepared", points=points, parameters=[], standins=[], notes=["n" * 9999] * 999)
    WAYS[target["function"]](host)
    time.sleep(600)


def asks_without_end(host):
    host.hear()
    while True:
        host.say(**QUESTION)
        host.hear()


def asks_without_listening(host):
    host.hear()
    while True:
        host.say(**QUESTION)


def repeats_a_result(host):
    host.hear()
    while True:
        host.say(type="ran", results=[RESULT])


def repeats_a_result_at_once(host):
    host.hear()
    host.say(type="ran", results=[RESULT, RESULT])


def sends_nothing_without_end(host):
    host.hear()
    while True:
        host.say(type="ran", results=[])


def answers_what_was_not_asked(host):
    host.say(type="ran", results=[RESULT])
    host.say(**DONE)


def invents_a_probe(host):
    host.hear()
    host.say(type="ran", results=[{**RESULT, "index": 1}])


def hits_a_point_that_is_none(host):
    host.hear()
    host.say(type="ran", results=[{**RESULT, "hits": [2]}])


def says_half_a_result(host):
    host.hear()
    host.sock.sendall(struct.pack(">I", 500) + b'{"type": "ran", ')


def falls_silent(host):
    host.hear()


def leaves(host):
    host.hear()
    os._exit(0)


def floods_its_output(host):
    host.hear()
    while True:
        os.write(sys.stderr.fileno(), b"noise " * 100_000)


def claims_an_answer_that_nobody_gave(host):
    host.hear()
    invented = {"label_annotations": [{"description": "Invented"}]}
    exchange = {"api": QUESTION["api"], "digest": "0" * 64, "answer": invented}
    host.say(type="ran", results=[{**RESULT, "exchanges": [exchange]}])
    host.say(**DONE)


def says_done_without_results(host):
    host.hear()
    host.say(**DONE)


def raises_elsewhere(host):
    host.hear()
    for path in ("../../etc/passwd", "/etc/passwd", "absent.py", "\x1b[2Japp.py"):
        ending = {"kind": "raised", "exception": "KeyError", "message": "", "path": path}
        ending.update(line=3, function="f", refusal=False, standin=False)
        host.say(type="ran", results=[{**RESULT, "ending": ending}])
        host.say(**DONE)
        host.hear()


def claims_the_work_of_others(host):
    """Everything is covered, exhausted and witnessed, for another function too."""
    asked = host.hear()
    if asked["type"] == "search":
        goals = [*asked["goals"], "b.py::victim#0:true"]
        witness = {"arguments": {}, "script": None, "confirmed": True}
        empty = {"template": {"arguments": {}}, "crashes": [], "bound": "", "obstacle": None}
        host.say(
            type="searched",
            witnesses=[{**witness, "goal": goal} for goal in goals],
            exhausted=goals,
            constants={goal: ["Fire"] for goal in goals},
            executions=10**9,
            **empty,
        )
        asked = host.hear()
    host.say(type="ran", results=[{**RESULT, "hits": [0, 1]}])
    host.say(**DONE)


LCM = {"api": "torch.lcm", "path": "app.py", "line": 1, "function": "f", "source": ""}
WRONG = {
    "api": "torch.lcm",
    "rule": "value",
    "relation": "value",
    "related": "torch.gcd(input)",
    "call": "torch.lcm(1, 2)",
    "outcome": "1",
    "expected": "2",
}
NOTHING = {"reached": [], "executions": 1, "seconds": 0.0, "obstacle": None, "notes": []}


def relates_what_it_was_not_asked(host):
    host.hear()
    beyond = [{"divergence": {**WRONG, "api": "torch.gcd"}, "at": {**LCM, "api": "torch.gcd"}}]
    host.say(type="related", beyond=beyond, **NOTHING)


def relates_calls_that_are_none(host):
    host.hear()
    beyond = [{"divergence": {**WRONG, "call": "__import__('os')"}, "at": LCM}]
    host.say(type="related", beyond=beyond, **NOTHING)


def relates_ten_megabytes(host):
    host.hear()
    beyond = [{"divergence": {**WRONG, "outcome": "o" * 10_000_000}, "at": LCM}]
    host.say(type="related", beyond=beyond, **NOTHING)


def relates_after_it_was_done(host):
    host.hear()
    host.say(type="progress", stage="s", done=1, total=2, rows=[])


def relates_half(host):
    host.hear()
    host.sock.sendall(struct.pack(">I", 500) + b'{"type": "related", ')


def relates_elsewhere(host):
    """Calls outside of the checkout, and such as do more than compute, among an honest one."""
    host.hear()
    odd = ("../../etc/passwd", "/etc/passwd", "absent.py", "\x1b[2Japp.py", "")
    beyond = [{"divergence": WRONG, "at": {**LCM, "path": path}} for path in (*odd, "app.py")]
    acting = ("torch.load('a')", "torch.os.system('id')", "torch.vmap(torch.os.remove)('a')")
    beyond += [{"divergence": {**WRONG, "call": call}, "at": LCM} for call in acting]
    host.say(type="related", beyond=beyond, **NOTHING)


RELATING = (
    *(relates_what_it_was_not_asked, relates_calls_that_are_none, relates_ten_megabytes),
    *(relates_after_it_was_done, relates_half, relates_elsewhere),
)
DEPARTURE = {
    "rule": "divergence",
    "execution": "onnxruntime",
    "arguments": {},
    "inputs": "",
    "mutations": "",
    "other": "",
    "ending": {"kind": "violated", "condition": "True", "detail": "off by 1"},
    "signal": None,
    "outcome": "1.5",
    "expected": "1.0",
    "error_ratio": 1e5,
    "d_mad": 0.3,
    "layer": None,
    "single": "",
    "low": None,
    "high": None,
    "layers": [],
}
EXECUTED = {
    "done": ["onnxruntime"],
    "left_out": [],
    "model": "torch.nn.Module",
    "mutants": 0,
    "amplified": 0,
    "apis": [],
    "executions": 1,
    "seconds": 0.0,
    "obstacle": None,
    "notes": [],
    "versions": [],
}
DEEP = "(" + "-" * 1500 + "1,)"


def departs(host, *changes):
    host.hear()
    departures = [{**DEPARTURE, **each} for each in changes]
    host.say(type="executed", departures=departures, **EXECUTED)


def executes_what_it_was_not_asked(host):
    departs(host, {"execution": "cuda"})


def executes_code_as_inputs(host):
    departs(host, {"inputs": "(__import__('os').system('id'),)"})


def executes_depths_as_inputs(host):
    departs(host, {"inputs": DEEP})


def executes_mutations_that_are_none(host):
    departs(host, {"mutations": "LA a: Conv2d(__import__('os')) @1"})


def executes_with_an_infinite_ratio(host):
    host.hear()
    frame = {"type": "executed", "departures": [{**DEPARTURE, "error_ratio": 7.5}], **EXECUTED}
    payload = json.dumps(frame).replace("7.5", "1e999").encode()
    host.sock.sendall(struct.pack(">I", len(payload)) + payload)


def executes_with_no_number(host):
    departs(host, {"d_mad": float("nan")})


def executes_with_a_bound_beyond_all_floats(host):
    departs(host, {"high": 10**4000})


def executes_words_for_a_terminal(host):
    host.hear()
    host.say(type="executed", departures=[], **{**EXECUTED, "model": "\x1b[2Ja model"})


def executes_ten_megabytes(host):
    departs(host, {"outcome": "o" * 10_000_000})


def executes_half(host):
    host.hear()
    host.sock.sendall(struct.pack(">I", 500) + b'{"type": "executed", ')


def executes_elsewhere(host):
    """Layers outside of the checkout, programs that act, names of others, and an honest one."""
    layer = {"name": "a", "kind": "ReLU", "line": 1, "source": "nn.ReLU()"}
    places = [
        {"layer": {**layer, "path": path}}
        for path in ("../../etc/passwd", "/etc/passwd", "absent.py", "\x1b[2Japp.py", "app.py")
    ]
    acting = ("torch.load('a')", "torch.nn.functional.torch.os.system('id')", "(lambda: 0)()")
    singles = [{"single": each} for each in (*acting, "torch.nn.ReLU()", DEEP, "a\u2028b")]
    lent = [{"arguments": {"x": {"kind": "made", "recipe": "os.system('id')"}}}]
    other = [{"ending": RETURNED}]
    departs(host, *places, *singles, *lent, *other)


STATE = {
    "state": "raised",
    "stage": "forward",
    "exception": "RuntimeError",
    "detail": "no",
    "line": 3,
    "finite": True,
    "apis": ["torch.nn.Linear"],
    "seconds": 0.0,
}


def assembles(host, *changes):
    host.hear()
    host.say(type="assembled", states=[{**STATE, **each} for each in changes])


def assembles_more_than_it_was_asked(host):
    assembles(host, {}, {}, {})


def assembles_what_is_no_exception(host):
    assembles(host, {}, {"exception": "`rm -rf`"})


def assembles_apis_of_others(host):
    assembles(host, {}, {"apis": ["os.system"]})


def assembles_ten_megabytes(host):
    assembles(host, {}, {"detail": "d" * 10_000_000})


def assembles_a_line_beyond_all_files(host):
    assembles(host, {}, {"line": 10**30})


def assembles_half(host):
    host.hear()
    host.sock.sendall(struct.pack(">I", 500) + b'{"type": "assembled", ')


EXECUTING = (
    *(executes_what_it_was_not_asked, executes_code_as_inputs, executes_depths_as_inputs),
    *(executes_mutations_that_are_none, executes_with_an_infinite_ratio, executes_with_no_number),
    *(executes_with_a_bound_beyond_all_floats, executes_words_for_a_terminal),
    *(executes_ten_megabytes, executes_half, executes_elsewhere),
)
ASSEMBLING = (
    *(assembles_more_than_it_was_asked, assembles_what_is_no_exception, assembles_apis_of_others),
    *(assembles_ten_megabytes, assembles_a_line_beyond_all_files, assembles_half),
)
WAYS = {
    way.__name__: way
    for way in (
        *(asks_without_end, asks_without_listening, repeats_a_result, repeats_a_result_at_once),
        *(sends_nothing_without_end, answers_what_was_not_asked, invents_a_probe),
        *(hits_a_point_that_is_none, says_half_a_result, falls_silent, leaves, floods_its_output),
        *(claims_an_answer_that_nobody_gave,),
        *(says_done_without_results, raises_elsewhere, claims_the_work_of_others),
        *(*RELATING, *EXECUTING, *ASSEMBLING),
    )
}
