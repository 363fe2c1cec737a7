"""The rules that each family of client libraries has for its modules."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Callable, List, Mapping, Optional, Sequence

from ..network.network import Network
from ..runtime import standins
from .aws import Aws, AwsStandins, Botocore
from .azure import Azure, AzureSdk
from .azure_standins import AzureStandins
from .described_apis import DescribedApis
from .openai import OpenAI, OpenAISdk
from .openai_standins import FIRST, OpenAIStandins
from .schema_messages import Schema

Patch = Callable[[ModuleType], None]
Maker = Callable[[str], ModuleType]
Warmer = Callable[[Sequence[Mapping[str, Any]]], None]


@dataclass(frozen=True)
class ClientProject:
    """The project under test, as client families know it.

    ``texts`` are the known sources by path, ``entries`` the catalogue's, ``schemas`` its response
    schemas by provider; ``warmers`` take the entries likely to be asked when the project is loaded.
    """

    root: str
    entries: Sequence[Mapping[str, Any]]
    schemas: Mapping[str, Any]
    schema: Schema
    texts: Mapping[str, str] = field(default_factory=dict)
    network: Network = field(default_factory=Network)
    warmers: List[Warmer] = field(default_factory=list)


@dataclass(frozen=True)
class ClientRule:
    """The treatment of the modules whose whole dotted name matches ``modules``."""

    modules: str
    patch: Optional[Patch] = None
    standin: Optional[Maker] = None
    instead: Optional[Callable[[str], bool]] = None

    def matches(self, name: str) -> bool:
        """Return whether the rule is about the module ``name``."""
        return re.fullmatch(self.modules, name) is not None


Family = Callable[[ClientProject], List[ClientRule]]


def patch_clients(module: ModuleType) -> None:
    """Make the clients of a module inert, and say so."""
    standins.note(module.__name__)
    for name in list(vars(module)):
        if name.endswith("Client"):
            setattr(module, name, standins.Inert(f"{module.__name__}.{name}"))


def aws_rules(project: ClientProject) -> List[ClientRule]:
    """Return what is done about the modules of boto3 and botocore."""
    aws = Aws(DescribedApis(project.entries, project.schema))
    sdk, standins = Botocore(aws, project.texts), AwsStandins(aws)
    project.warmers.append(sdk.warm)
    return [
        ClientRule(r"botocore\.client", patch=sdk.client),
        ClientRule(r"botocore\.session", patch=sdk.session),
        ClientRule(r"botocore\.loaders", patch=sdk.loaders),
        ClientRule(r"boto3(\.session)?", standin=standins.boto3),
        ClientRule(r"botocore\.exceptions", standin=standins.exceptions),
    ]


_CURRENT = (
    r"azure\.ai\.(textanalytics|vision\.imageanalysis|documentintelligence|formrecognizer)(\.aio)?"
)
_OLD = r"azure\.cognitiveservices\.vision\.(computervision|face)"


def azure_rules(project: ClientProject) -> List[ClientRule]:
    """Return what is done about the modules of Azure's SDKs."""
    described = DescribedApis(project.entries, project.schema)
    azure = Azure(described)
    sdk, standins = AzureSdk(azure, OpenAI(described)), AzureStandins(azure)
    return [
        ClientRule(r"azure\.core\.pipeline\._base(_async)?", patch=sdk.pipeline),
        ClientRule(r"azure\.core\.credentials", patch=sdk.credentials, standin=standins.module),
        ClientRule(r"(azure\.core|msrest)\.exceptions", standin=standins.exceptions),
        ClientRule(_CURRENT, patch=sdk.clients, standin=standins.module),
        ClientRule(rf"({_CURRENT}|{_OLD})(\.models)?", standin=standins.module),
    ]


def openai_rules(project: ClientProject) -> List[ClientRule]:
    """Return the rules for ``openai``; a project written for 0.x gets the stand-in."""
    openai = OpenAI(DescribedApis(project.entries, project.schema))
    sdk, standins = OpenAISdk(openai), OpenAIStandins(openai)
    first = any(FIRST.search(text) for text in project.texts.values())

    def is_first(name: str) -> bool:
        del name
        return first

    return [
        ClientRule(r"openai\._base_client", patch=sdk.base_client),
        ClientRule(r"openai\._client|openai\.lib\.azure", patch=sdk.clients),
        ClientRule(r"groq\._base_client", patch=OpenAISdk(openai, "groq").base_client),
        ClientRule(r"openai(\.error)?", standin=standins.module, instead=is_first),
    ]
