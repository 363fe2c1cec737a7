"""The web process as it is served."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from app.signature import signed
from tests.worker.redis_server import INSTALLED, free_port, redis_server

ROOT = Path(__file__).parent.parent.parent
HEAVY = ("analyzers", "numpy", "z3", "crosshair", "torch", "PIL", "cv2", "libcst", "scipy")


def test_web_process_loads_no_analyzer():
    script = (
        "import sys, app.web, celery\n"
        "from worker.queue import celery_app, Limits, BrokerQueue, QueueDownError\n"
        "try: BrokerQueue(celery_app('redis://127.0.0.1:1', Limits(1))).enqueue('x')\n"
        "except QueueDownError: pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@contextmanager
def served(folder: Path, broker: str | None) -> Iterator[str]:
    port = free_port()
    variables = {
        "ASSAYER_GITHUB__WEBHOOK_SECRET": "env:TEST_SECRET",
        "TEST_SECRET": "s3cret",
        "ASSAYER_STORE__URL": f"sqlite:///{folder}/assayer.db",
        "ASSAYER_STORE__BLOBS": str(folder / "blobs"),
    }
    if broker is not None:
        variables["ASSAYER_QUEUE__URL"] = broker
    command = [sys.executable, "-m", "worker.cli", "serve", "--port", str(port)]
    command = [sys.executable, "-c", "from worker.cli import main; main()", *command[3:]]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **variables},
        stderr=(folder / "log").open("w"),
        stdout=subprocess.DEVNULL,
    ) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(address)
            yield address
        finally:
            process.terminate()
    assert process.returncode in (0, -15)


def _wait(address: str) -> None:
    for _ in range(300):
        try:
            httpx.get(f"{address}/healthz")
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("the web app did not start")


@pytest.mark.skipif(not INSTALLED, reason="redis-server is absent")
def test_webhook_answers_fast_enough(tmp_path):
    body = (ROOT / "tests/app/payloads/pull_request.opened.json").read_bytes()
    with (
        redis_server() as broker,
        served(tmp_path, broker) as address,
        httpx.Client(base_url=address) as client,
    ):
        assert client.get("/readyz").status_code == 200

        def send(_number: int) -> float:
            began = time.perf_counter()
            answer = client.post(
                "/webhooks/github",
                content=body,
                headers={
                    "X-GitHub-Event": "pull_request",
                    "X-GitHub-Delivery": str(uuid.uuid4()),
                    "X-Hub-Signature-256": signed(b"s3cret", body),
                },
            )
            assert answer.status_code == 202
            return time.perf_counter() - began

        with ThreadPoolExecutor(4) as pool:
            seconds = sorted(pool.map(send, range(300)))
        metrics = client.get("/metrics").text
    print(json.dumps({"p50": seconds[150], "p99": seconds[297], "max": seconds[-1]}))
    assert seconds[297] < 10
    assert "assayer_queue_depth 300.0" in metrics


def test_one_process_serves_and_works(tmp_path):
    """Without a broker a run ends by itself; here, for want of a checkout."""
    body = (ROOT / "tests/app/payloads/pull_request.opened.json").read_bytes()
    headers = {
        "X-GitHub-Event": "pull_request",
        "X-GitHub-Delivery": "one",
        "X-Hub-Signature-256": signed(b"s3cret", body),
    }
    with served(tmp_path, None) as address:
        run = httpx.post(f"{address}/webhooks/github", content=body, headers=headers).json()["run"]
        for _ in range(300):
            page = httpx.get(f"{address}/runs/{run}").text
            if "no checkouts to test" in page:
                break
            time.sleep(0.1)
        else:
            pytest.fail((tmp_path / "log").read_text())
