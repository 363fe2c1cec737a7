"""Requests serve views of every framework, and Django answers without settings."""

import asyncio
import sys
from types import ModuleType

import pytest

from analyzers.guest.inputs.external_inputs import WebRequest, settle_django
from analyzers.guest.protocol.argument_decoding import Upload


def test_document_is_read_called_and_awaited() -> None:
    request = WebRequest({"json": {"text": "hi"}})

    async def awaited():
        return await request.json()

    assert request.json == request.get_json(force=True) == asyncio.run(awaited()) == {"text": "hi"}
    assert request.get_data(as_text=True) == request.body.decode() == '{"text": "hi"}'
    assert (request.method, request.is_json) == ("POST", True)


def test_query_is_a_get() -> None:
    request = WebRequest({"GET": {"q": "a"}})
    assert request.method == "GET"
    assert request.args.get("q") == request.values["q"] == "a"
    assert request.GET.getlist("q") == ["a"]
    assert request.POST.getlist("q") == []


def test_form_holds_uploads_as_starlette_has_it() -> None:
    upload = Upload(b"png")
    request = WebRequest({"files": {"image": upload}, "form": {"n": "1"}})
    assert request.form["image"] is request.FILES["image"] is upload
    assert request.POST == {"n": "1"}


def test_raw_body_is_what_was_sent() -> None:
    assert WebRequest({"data": b"raw"}).data == WebRequest({"body": "raw"}).get_data() == b"raw"


def test_upload_has_the_names_of_every_framework() -> None:
    upload = Upload(b"png")
    assert (upload.file, upload.stream, upload.size) == (upload, upload, 3)
    assert list(upload.chunks()) == [b"png"]


@pytest.mark.parametrize(("named", "asked"), [(False, 1), (True, 0)])
def test_django_is_settled_where_nothing_names_settings(named, asked, monkeypatch) -> None:
    class Settings:
        configured = False
        given: list = []  # noqa: RUF012 - what the fake was asked

        def configure(self, **options):
            self.given.append(options)

    conf = ModuleType("django.conf")
    monkeypatch.setattr(conf, "settings", Settings(), raising=False)
    monkeypatch.setitem(sys.modules, "django.conf", conf)
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    if named:
        monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "shop.settings")
    Settings.given = []
    settle_django()
    assert len(Settings.given) == asked
