"""The rules for OpenAI's client."""

from __future__ import annotations

from typing import List

from .described import Described
from .family import Project, Rule
from .openai_api import OpenAI
from .openai_sdk import Sdk
from .openai_standins import FIRST, Standins


def rules(project: Project) -> List[Rule]:
    """What is done about the modules of ``openai``.

    A project that is written for 0.x gets the stand-in: later SDKs have none
    of its calls.
    """
    openai = OpenAI(Described(project.entries, project.schema))
    sdk, standins = Sdk(openai), Standins(openai)
    first = any(FIRST.search(text) for text in project.texts.values())

    def is_first(name: str) -> bool:
        del name
        return first

    return [
        Rule(r"openai\._base_client", patch=sdk.base_client),
        Rule(r"openai\._client|openai\.lib\.azure", patch=sdk.clients),
        Rule(r"openai(\.error)?", standin=standins.module, instead=is_first),
    ]
