"""The rules for Google's clients, of every generation."""

from __future__ import annotations

from typing import Dict, List

from ..messages import Schema
from ..standins import InertModule
from . import google_sdk
from .family import Project, Rule
from .generations import Generations
from .google import Google
from .google_standins import MODULES, Standins, json_format_module, patch_json_format
from .rest import Rest

_OTHER_CLOUD = (
    r"google\.cloud\.(storage|firestore|bigquery|pubsub|pubsub_v1|datastore|secretmanager"
    r"|logging|tasks|tasks_v2|speech|texttospeech|translate|translate_v2)"
)


def rules(project: Project) -> List[Rule]:
    """What is done about the modules of Google's SDKs."""
    google = Google(project.entries, project.schema)
    sdk = google_sdk.Sdk(google)
    generations = Generations(project.root, project.texts)
    made: Dict[bool, Standins] = {}

    def standin(name: str) -> InertModule:
        plain = generations.is_old(name)
        if plain not in made:
            made[plain] = Standins(google, Schema(project.schemas, plain=plain))
        return made[plain].module(name)

    rest = Rest(google)
    return [
        Rule(r"google\.cloud\.vision_v1(p\d+beta\d+)?", patch=sdk.vision),
        Rule(r"google\.cloud\.language_v\w+", patch=sdk.language),
        Rule(MODULES, standin=standin, instead=generations.is_old),
        Rule(_OTHER_CLOUD, patch=google_sdk.patch_clients),
        Rule(r"google\.auth", patch=google_sdk.patch_auth),
        Rule(r"google\.oauth2\.service_account", patch=google_sdk.patch_service_account),
        Rule(r"google\.(cloud|protobuf)", standin=InertModule),
        Rule(r"google\.protobuf\.json_format", patch=patch_json_format, standin=json_format_module),
        Rule(r"googleapiclient\.discovery", rest.patch_discovery, rest.discovery_module),
        Rule(r"apiclient\.discovery", standin=rest.discovery_module),
    ]
