"""The rules for Azure's clients."""

from __future__ import annotations

from typing import List

from .azure import Azure
from .azure_sdk import Sdk
from .azure_standins import Standins
from .described import Described
from .family import Project, Rule

_CURRENT = r"azure\.ai\.(textanalytics|vision\.imageanalysis)(\.aio)?"
_OLD = r"azure\.cognitiveservices\.vision\.(computervision|face)"


def rules(project: Project) -> List[Rule]:
    """What is done about the modules of Azure's SDKs."""
    azure = Azure(Described(project.entries, project.schema))
    sdk, standins = Sdk(azure), Standins(azure)
    return [
        Rule(r"azure\.core\.pipeline\._base", patch=sdk.pipeline),
        Rule(r"azure\.core\.pipeline\._base_async", patch=sdk.later_pipeline),
        Rule(r"azure\.core\.credentials", patch=sdk.credentials, standin=standins.module),
        Rule(r"azure\.core\.exceptions", standin=standins.exceptions),
        Rule(_CURRENT, patch=sdk.clients, standin=standins.module),
        Rule(rf"({_CURRENT}|{_OLD})(\.models)?", standin=standins.module),
    ]
