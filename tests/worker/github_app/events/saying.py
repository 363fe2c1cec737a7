"""Deliveries as GitHub sends them: recorded ones, and ones made of them."""

import copy
import hashlib
import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

from worker.store.records import Delivery

PAYLOADS = Path(__file__).parent / "payloads"
START = datetime(2026, 1, 1, tzinfo=UTC)
REPOSITORY = 186853002
NUMBER = 2
INSTALLATION = 957387


def recorded(name):
    return json.loads((PAYLOADS / f"{name}.json").read_text(encoding="utf-8"))


def names():
    return sorted(path.stem for path in PAYLOADS.glob("*.json"))


def delivery(event, payload, guid=None):
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    action = None if isinstance(payload, bytes) else payload.get("action")
    digest = hashlib.sha256(body).hexdigest()
    return Delivery(guid or str(uuid.uuid4()), event, action, digest, None, body)


def delivery_named(name, **changes):
    event = name.split(".")[-2]
    return delivery(event, recorded(name) | changes)


def at(seconds):
    return (START + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def sha(letter):
    return letter * 40


def pull_request(action, head="a", when=0, **changes):
    """A ``pull_request`` event of one pull request, ``when`` seconds after the first."""
    payload = copy.deepcopy(recorded("pull_request.opened"))
    payload |= {"action": action, "installation": {"id": INSTALLATION}}
    pull = payload["pull_request"]
    pull["head"]["sha"] = sha(head)
    pull["updated_at"] = at(when)
    pull["state"] = "closed" if action == "closed" else "open"
    pull["base"]["ref"] = changes.pop("base_ref", "master")
    pull["draft"] = changes.pop("draft", False)
    pull["number"] = changes.pop("number", NUMBER)
    payload["repository"] |= {"updated_at": at(when)} | changes.pop("repository", {})
    return delivery("pull_request", payload | changes)


def about_head(event, action, head="a", when=0, **changes):
    """A ``check_run``, ``check_suite`` or ``merge_group`` event of one head."""
    payload = copy.deepcopy(recorded(f"{event}.{action}"))
    payload |= {"installation": {"id": INSTALLATION}}
    payload[event] |= {"head_sha": sha(head), **changes.pop("of", {})}
    payload["repository"] = recorded("pull_request.opened")["repository"] | {"updated_at": at(when)}
    return delivery(event, payload | changes)
