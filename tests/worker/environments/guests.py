"""Guests in environments."""

from worker.sandbox.guest_process import GuestProcess


def returned(isolation, python, tree):
    """What ``version`` of ``app.py`` returns in a guest, as it is written."""
    prepare = {"type": "prepare", "path": "app.py", "function": "version", "files": []}
    more = {"catalogue": [], "schemas": {}, "hidden": []}
    run = {"type": "run", "blobs": {}, "probes": [{"arguments": {}, "script": None}], "seconds": 60}
    with GuestProcess.start(isolation, tree=tree, python=python) as guest:
        guest.channel.send({**prepare, **more, "root": guest.root})
        assert guest.channel.receive(60)["type"] == "prepared"
        guest.channel.send(run)
        return guest.channel.receive(60)["results"][0]["ending"]["value"]
