"""The web process as it is served."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import pytest

from app.webhook import sign_body
from tests.worker.redis_server import free_port
from worker.store.store import Store

ROOT = Path(__file__).parent.parent.parent
HEAVY = (
    "analyzers.pipeline",
    "analyzers.detection",
    "analyzers.guest",
    "numpy",
    "z3",
    "crosshair",
    "torch",
    "PIL",
    "cv2",
    "libcst",
    "scipy",
)
SECRET = "s3cret-of-this-webhook"
LIMIT = 200_000
PATIENCE = 600
get = partial(httpx.get, timeout=PATIENCE)
post = partial(httpx.post, timeout=PATIENCE)
BODY = (ROOT / "tests/app/payloads/pull_request.opened.json").read_bytes()


def test_web_process_loads_no_analyzer():
    script = (
        "import sys, app.web, celery\n"
        "from worker.store.run_queue import celery_app, BrokerQueue\n"
        "from worker.store.run_queue import RunTimeLimits, QueueDownError\n"
        "try: BrokerQueue(celery_app('redis://127.0.0.1:1', RunTimeLimits(1))).enqueue('x')\n"
        "except QueueDownError: pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@dataclass(frozen=True)
class Served:
    """A web process at ``address``, what it logged so far, and its database."""

    address: str
    port: int
    log: Path
    database: str
    process: subprocess.Popen

    def send(self, delivery, body=BODY, event="pull_request"):
        headers = {
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": delivery,
            "X-Hub-Signature-256": sign_body(SECRET.encode(), body),
            "Content-Type": "application/json",
        }
        address = f"{self.address}/webhooks/github"
        return post(address, content=body, headers=headers)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder, port = tmp_path_factory.mktemp("served"), free_port()
    (folder / "operators").write_text("ops:correct horse\n")
    variables = {
        "ASSAYER_GITHUB__WEBHOOK_SECRET": "env:TEST_SECRET",
        "TEST_SECRET": SECRET,
        "ASSAYER_APP__MAX_BODY": str(LIMIT),
        "ASSAYER_APP__OPERATORS": f"file:{folder}/operators",
        "ASSAYER_STORE__URL": f"sqlite:///{folder}/assayer.db",
        "ASSAYER_STORE__BLOBS": str(folder / "blobs"),
    }
    program = "from worker.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", "--web-only", "--port", str(port)]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **variables}, stderr=log, stdout=log
        ) as process,
    ):
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(address)
            database = variables["ASSAYER_STORE__URL"]
            yield Served(address, port, folder / "log", database, process)
        finally:
            process.terminate()


def _wait(address: str) -> None:
    for _ in range(PATIENCE * 10):
        try:
            get(f"{address}/healthz")
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("the web app did not start")


@pytest.mark.slow
def test_many_deliveries_at_once_are_each_kept_once(served):
    names = [str(uuid.uuid4()) for _ in range(60)]
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(served.send, names * 2))
    assert {answer.status_code for answer in answers} == {202}
    assert sum(answer.json()["duplicate"] for answer in answers) == 60
    with Store(served.database) as store, store.read() as unit:
        assert unit.deliveries.known(names) == set(names)
        assert {unit.deliveries.get(name).body for name in names} == {BODY}


def test_declared_large_body_is_refused_before_it_is_sent(served):
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as raw:
        raw.sendall(_head("Content-Length: 99999999"))
        assert raw.recv(12) == b"HTTP/1.1 413"


def test_chunked_large_body_is_refused_and_cut_off(served):
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as raw:
        raw.sendall(_head("Transfer-Encoding: chunked"))
        for _ in range(1 + LIMIT // 0x10000):
            raw.sendall(chunk)
        assert raw.recv(12) == b"HTTP/1.1 413"
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            raw.sendall(chunk * 1000)


def test_chunked_delivery_is_heard(served):
    headers = {
        "X-GitHub-Event": "pull_request",
        "X-GitHub-Delivery": str(uuid.uuid4()),
        "X-Hub-Signature-256": sign_body(SECRET.encode(), BODY),
        "Content-Type": "application/json",
    }
    parts = iter([BODY[:1000], BODY[1000:]])
    answer = post(f"{served.address}/webhooks/github", content=parts, headers=headers)
    assert (answer.status_code, answer.json()["kept"]) == (202, True)


def test_log_is_json_with_the_delivery_and_without_secrets(served):
    name = str(uuid.uuid4())
    served.send(name)
    get(f"{served.address}/?sig=0123456789abcdef0123456789abcdef", auth=("ops", "wrong one"))
    for _ in range(PATIENCE * 10):
        text = served.log.read_text()
        if name in text:
            break
        time.sleep(0.1)
    lines = [json.loads(line) for line in text.splitlines()]
    [line] = [line for line in lines if line.get("delivery") == name]
    assert (line["level"], line["github_event"], line["action"]) == (
        "info",
        "pull_request",
        "opened",
    )
    assert any(line["logger"] == "gunicorn.error" for line in lines)
    for secret in (SECRET, "correct horse", "wrong one", "0123456789abcdef0123456789abcdef"):
        assert secret not in text


def test_server_says_little_of_itself(served):
    assert get(f"{served.address}/healthz").headers["Server"] == "gunicorn"


def test_killed_web_worker_is_replaced_and_loses_nothing(served):
    name = str(uuid.uuid4())
    assert served.send(name).status_code == 202
    children = Path(f"/proc/{served.process.pid}/task/{served.process.pid}/children")
    os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
    for _ in range(PATIENCE * 10):
        try:
            if served.send(name).json()["duplicate"]:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    pytest.fail(served.log.read_text())


def _head(length: str) -> bytes:
    fields = ("Host: localhost", "Content-Type: application/json", length)
    return "\r\n".join(("POST /webhooks/github HTTP/1.1", *fields, "", "")).encode()
