"""What a guest is told of the ML APIs: all of them, whatever was detected."""

from analyzers.vocabulary import Exchange, Probe, Returned
from tests.worker.sessions import PLACE, target, tree
from worker.broker.api_broker import Broker
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.session import Session

APP = """\
import boto3
from google.cloud import vision


def check():
    found = boto3.client("comprehend").detect_sentiment(Text="good", LanguageCode="en")
    return found["Sentiment"]
"""


def test_target_may_ask_a_provider_that_nobody_detected(tmp_path):
    root = tree(tmp_path / "tree", app=APP).root
    broker = Broker(Engines(()), Recordings(None), None)
    script = (Exchange("aws.comprehend.detect_sentiment", "", {"Sentiment": "POSITIVE"}),)
    with Session(PLACE, root, target(), broker) as session:
        (run,) = session.run([Probe("app.py::check", {}, script)], seconds=60)
    assert run.ending == Returned("'POSITIVE'")
