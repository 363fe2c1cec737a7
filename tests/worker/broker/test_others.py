"""The same question to another provider."""

import time
from dataclasses import replace

import pytest

from analyzers.ports import ExaminationPlan
from analyzers.vocabulary import Input, InputKind, Origin
from tests.worker.sessions import LABELS, laboratory, target, tree
from worker.engines.engine import FORK, NoAnswer, Outage, UnavailableEngine, WithheldEngine
from worker.executor.sandbox_executor import SandboxExecutor

AMAZON, AZURE = "aws.rekognition.detect_labels", "azure.vision.analyze"
PICTURE = Input(InputKind.IMAGE, b"picture", "a picture", "Fire", ".png", Origin("drawn"))
FIRE = {"Labels": [{"Name": "Fire", "Confidence": 91.0}]}


class Provider:
    """An engine of one API that notes what it is asked."""

    def __init__(self, api, *, local=False, trouble=None):
        self.api, self.local, self.trouble = api, local, trouble
        self.identity = f"{api} of a test"
        self.asked = []

    def answers(self, api):
        return api == self.api

    def ask(self, api, request):
        self.asked.append(request)
        if self.trouble:
            raise self.trouble
        return FIRE


@pytest.fixture
def bench(tmp_path, sessions):
    def bench(*engines, left=100, other_providers=True):
        head = tree(tmp_path / "head", app="def check(path):\n    return labels()\n")
        made = laboratory(head, head, engines=engines)
        plan = ExaminationPlan(other_providers=other_providers)
        return SandboxExecutor(replace(made, plan=plan), target(), time.monotonic() + left)

    return bench


def test_others_have_the_same_task_and_are_set_up(bench):
    own, text = Provider(LABELS), Provider("aws.rekognition.detect_text")
    assert bench(own, text, Provider(AMAZON)).others(LABELS) == [AMAZON]


def test_others_are_asked_on_demand_only(bench):
    assert not bench(Provider(AMAZON), other_providers=False).others(LABELS)


@pytest.mark.parametrize(
    "engine",
    [
        Provider(AMAZON, local=True),
        UnavailableEngine("aws.rekognition", "not set up"),
        WithheldEngine(Provider(AMAZON), FORK),
    ],
    ids=["local", "unavailable", "withheld"],
)
def test_only_a_provider_that_may_be_asked_counts(bench, engine):
    assert not bench(engine).others(LABELS)


def test_answer_comes_through_the_broker(bench):
    provider = Provider(AMAZON)
    asking = bench(provider)
    assert asking.ask(AMAZON, PICTURE) == asking.ask(AMAZON, PICTURE) == FIRE
    assert [request.content for request in provider.asked] == [b"picture"]
    assert asking._laboratory.broker.calls == 1


def test_texts_are_asked_as_texts(bench):
    provider = Provider("aws.comprehend.detect_entities")
    words = replace(PICTURE, kind=InputKind.TEXT, content=b"some words")
    bench(provider).ask(provider.api, words)
    assert [request.text for request in provider.asked] == ["some words"]


@pytest.mark.parametrize("trouble", [NoAnswer("no"), Outage("down")])
def test_no_answer_is_none_and_no_outage_of_the_run(bench, trouble):
    asking = bench(Provider(AMAZON, trouble=trouble))
    assert asking.ask(AMAZON, PICTURE) is None
    assert asking._laboratory.broker.outages == ()


def test_spent_time_asks_nobody(bench):
    provider = Provider(AMAZON)
    assert bench(provider, left=-1).ask(AMAZON, PICTURE) is None
    assert provider.asked == []
