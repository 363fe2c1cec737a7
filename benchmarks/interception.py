"""How far interception reaches: client libraries as pip installs them, in the sandbox.

``python -m benchmarks.interception`` installs each set of libraries into a
virtual environment of its own (needs a package index), runs a few lines of
ordinary code with each style of asking, and says whether the question reached
the broker, whether it is refused at once where nobody answers, and how long
one call took in either case.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from analyzers import catalogue
from analyzers.vocabulary import (
    ApiCall,
    LiteralArgument,
    NotRun,
    Probe,
    Reason,
    Returned,
    Run,
    Target,
)
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.execution_context import GuestRuntime, guest_runtime
from worker.executor.session import Session
from worker.settings.operator_settings import Settings

FOLDER = Path(__file__).parent / "interception_suite"
ROUNDS = 20
AT_ONCE = 1.0
SECONDS = 60.0


@dataclass(frozen=True)
class Set:
    """Libraries that are installed together, and the styles of a program for them."""

    name: str
    packages: Sequence[str]
    program: str
    styles: Mapping[str, str] = field(default_factory=dict)


GOOGLE = {
    "vision_plain": "vision, synchronous",
    "vision_helpers": "vision, all twelve helpers",
    "vision_batch": "vision, batch_annotate_images",
    "vision_rest": 'vision, transport="rest"',
    "vision_later": "vision, asyncio",
    "language": "language v1",
    "language_rest": 'language v1, transport="rest"',
    "language_later": "language v1, asyncio",
    "speech_plain": "speech v1, recognize",
    "speech_long": "speech v1, long_running_recognize",
    "speech_stream": "speech v1, streaming_recognize",
    "speech_later": "speech v1, asyncio",
}
SETS = (
    Set(
        "Google, current",
        (
            "google-cloud-vision==3.16.0",
            "google-cloud-language==2.22.0",
            "google-cloud-speech==2.41.0",
            "google-api-python-client==2.202.0",
        ),
        "google.py",
        {
            **GOOGLE,
            "language_second": "language v2",
            "speech_second": "speech v2, recognize",
            "discovery": "googleapiclient.discovery",
        },
    ),
    Set(
        "Google, 2.x of 2021",
        (
            "google-cloud-vision==2.4.4",
            "google-cloud-language==2.3.1",
            "google-cloud-speech==2.9.3",
            "google-api-python-client==2.202.0",
            "setuptools==69.5.1",
        ),
        "google.py",
        {key: name for key, name in GOOGLE.items() if "rest" not in key},
    ),
    Set(
        "Google, 1.x",
        (
            "google-cloud-vision==1.0.2",
            "google-cloud-language==1.3.2",
            "google-cloud-speech==1.3.4",
        ),
        "google_first.py",
        {
            "vision_plain": "vision, types and enums",
            "language_plain": "language, types and enums",
            "speech_plain": "speech, types and enums",
        },
    ),
    Set(
        "others",
        (
            "boto3==1.44.5",
            "azure-ai-textanalytics==5.4.0",
            "azure-ai-vision-imageanalysis==1.0.0",
            "openai==3.54.0",
            "requests",
            "httpx",
            "aiohttp",
        ),
        "others.py",
        {
            "rekognition": "boto3, rekognition",
            "comprehend": "boto3, comprehend",
            "azure_text": "azure-ai-textanalytics",
            "azure_vision": "azure-ai-vision-imageanalysis",
            "chat": "openai",
            "by_requests": "requests",
            "by_httpx": "httpx",
            "by_urllib": "urllib",
            "by_aiohttp": "aiohttp",
            "by_trusting_aiohttp": "aiohttp, trust_env",
        },
    ),
)
ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "google.vision": {"label_annotations": [{"description": "Food", "score": 0.9}]},
    "google.language": {"document_sentiment": {"score": 0.5, "magnitude": 0.5}},
    "google.speech": {"results": [{"alternatives": [{"transcript": "Food"}]}]},
    "aws.rekognition": {"Labels": [{"Name": "Food", "Confidence": 98.5}]},
    "aws.comprehend": {"Sentiment": "POSITIVE", "SentimentScore": {"Positive": 0.9}},
    "azure.language": {"sentiment": "positive", "confidence_scores": {"positive": 0.9}},
    "azure.vision": {"tags": {"list": [{"name": "Food", "confidence": 0.9}]}},
    "openai": {"choices": [{"message": {"role": "assistant", "content": "Food"}}]},
}


class Teller:
    """Knows one answer for each provider, or none at all."""

    identity = "benchmark"
    local = True

    def __init__(self) -> None:
        self.silent = False
        self.heard: list[str] = []

    def answers(self, _api: str) -> bool:
        return not self.silent

    def ask(self, api: str, _request: Any) -> Any:
        self.heard.append(api)
        return next(dict(known) for name, known in ANSWERS.items() if api.startswith(name))


def installed(folder: Path, packages: Sequence[str]) -> Path:
    """The interpreter of a virtual environment with the packages."""
    subprocess.run([sys.executable, "-m", "uv", "venv", "-q", folder], check=True)
    python = folder / "bin" / "python"
    command = [sys.executable, "-m", "uv", "pip", "install", "-q", "--python", python, *packages]
    subprocess.run(command, check=True)
    return python


def target() -> Target:
    calls = tuple(
        ApiCall(api, "app.py", "call", 1) for api in sorted(catalogue.load_catalogue().apis)
    )
    return Target("app.py", "call", 1, 1, Reason.CHANGED, calls, (), ("app.py",))


def probe(function: str, salt: str) -> Probe:
    """A call that asks about something of its own, so that no answer is known already."""
    arguments = {
        "name": LiteralArgument(repr(function)),
        "salt": LiteralArgument(repr(f"{function} {salt}")),
    }
    return Probe("app.py::call", arguments, None)


def outcome(run: Run, teller: Teller, style: str) -> str:
    if isinstance(run.ending, Returned):
        return "reached" if teller.heard else f"FAILED, not asked: {run.ending.value}"
    print(f"  {style}: {run.ending}", file=sys.stderr)
    return f"FAILED: {type(run.ending).__name__}"


def refused(run: Run) -> str:
    if not isinstance(run.ending, NotRun):
        return f"FAILED: {type(run.ending).__name__}"
    return "at once" if run.seconds < AT_ONCE else "LATE"


def measured(session: Session, teller: Teller, function: str, style: str) -> str:
    teller.silent = False
    teller.heard.clear()
    runs = session.run([probe(function, str(n)) for n in range(ROUNDS)], seconds=SECONDS)
    teller.silent = True
    (alone,) = session.run([probe(function, "alone")], seconds=SECONDS)
    first, typical = runs[0].seconds, statistics.median(run.seconds for run in runs)
    return (
        f"| {style} | {outcome(runs[0], teller, style)} | {1000 * first:.1f} | "
        f"{1000 * typical:.2f} | {refused(alone)} | {1000 * alone.seconds:.1f} |"
    )


def report(chosen: Set, place: GuestRuntime, folder: Path) -> None:
    python = installed(folder / "python", chosen.packages)
    tree = folder / "tree"
    tree.mkdir()
    (tree / "app.py").write_text((FOLDER / chosen.program).read_text())
    for path in (folder, tree):
        path.chmod(0o755)
    teller = Teller()
    broker = Broker(Engines([teller]), Recordings(None), ApiBudget())
    with Session(replace(place, python=python, hidden=()), tree, target(), broker) as session:
        for function, style in chosen.styles.items():
            print(measured(session, teller, function, f"{chosen.name}: {style}"), flush=True)
        if session.prepared.standins:
            print(f"  stood in for: {', '.join(session.prepared.standins)}", file=sys.stderr)


def main() -> None:
    place = guest_runtime(Settings(), trust=False)
    print(f"# {', '.join(place.isolation.layers)}", file=sys.stderr)
    print("| style | question | first, ms | then, ms | without an answer refused | ms |")
    print("|---|---|---|---|---|---|")
    for chosen in SETS:
        with tempfile.TemporaryDirectory(prefix="interception-") as folder:
            report(chosen, place, Path(folder))


if __name__ == "__main__":
    main()
