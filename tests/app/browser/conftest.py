"""Debian's Chromium, a server of our own pages on the loopback, and eyes for both."""

import json
import re
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright
from werkzeug.serving import make_server

from app.web import assemble
from tests.app.test_pages import PUBLIC
from tests.worker.report import samples
from worker.report.artifacts import write_artifacts
from worker.report.json_report import report_document
from worker.store.records import Attempt

SCREENSHOTS = Path(__file__).parents[3] / "build" / "screenshots"
WIDE = {"viewport": {"width": 1100, "height": 800}, "color_scheme": "light"}
NARROW = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
PATIENCE, TALLEST = 180_000, 8000
LOOKS = {"wide": WIDE, "narrow": NARROW}


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        yield browser
        browser.close()


@dataclass
class Viewer:
    """Opens pages, and says what is wrong with them."""

    browser: object
    name: str

    def open(self, address, look="wide", **more):
        context = self.browser.new_context(**{**LOOKS[look], **more})
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.complaints = []
        page.on("console", lambda said: page.complaints.append(said.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.answer = page.goto(address)
        return page

    @staticmethod
    def height(page):
        return min(TALLEST, page.evaluate("document.documentElement.scrollHeight"))

    def look(self, address, look="wide"):
        """Return a page that has no violation of axe-core, fits the width and broke no policy."""
        page = self.open(address, look)
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        area = {
            "x": 0,
            "y": 0,
            "width": LOOKS[look]["viewport"]["width"],
            "height": self.height(page),
        }
        page.screenshot(path=SCREENSHOTS / f"{self.name}.png", full_page=True, clip=area)
        expected = [] if page.answer is None or page.answer.ok else [r"Failed to load resource"]
        assert [c for c in page.complaints if not any(re.search(e, c) for e in expected)] == []
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= LOOKS[look]["viewport"]["width"], f"{width} px wide"
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        return page


@pytest.fixture
def viewer(chromium, request):
    yield Viewer(chromium, re.sub(r"\W+", "-", request.node.name.removeprefix("test_")).strip("-"))
    for context in chromium.contexts:
        context.close()


class PageServer:
    """Serves applications on the loopback; a call returns an address."""

    def __init__(self, services):
        self._services = services
        self._servers = {}

    def __call__(self, port=0, **changes):
        application = assemble(replace(self._services, **changes))
        server = make_server("127.0.0.1", port, application, threaded=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        self._servers[address] = server
        return address

    def stop(self, address):
        server = self._servers.pop(address)
        server.shutdown()
        server.server_close()


@pytest.fixture
def served(services):
    made = PageServer(services)
    yield made
    for address in list(made._servers):
        made.stop(address)


@pytest.fixture
def finished(store, services, tmp_path):
    """A run with a report and its files."""

    def finish(report, job=PUBLIC):
        folder = tmp_path / "files"
        files = write_artifacts(report, folder, samples.SOURCES, samples.FIXED)
        document = json.loads(json.dumps(report_document(report, files, folder)))
        with store.write() as unit:
            attempt = unit.runs.start(unit.runs.ask(job).id, lease=60, limit=3)
            assert isinstance(attempt, Attempt)
            assert unit.runs.finish(attempt, document)
        if folder.exists():
            services.blobs.put_folder(f"runs/{attempt.run.id}", folder)
        return attempt.run.id

    return finish
