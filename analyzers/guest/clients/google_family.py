"""The rules for Google's clients, of every generation."""

from __future__ import annotations

from typing import Dict, List

from ..messages import Schema
from ..standins import InertModule
from . import google_auth
from .family import Project, Rule
from .generations import Generations
from .google import Google
from .google_discovery import Discovery
from .google_errors import exceptions_module
from .google_sdk import Sdk
from .google_standins import MODULES, Standins, json_format_module, patch_json_format
from .inert import patch_clients

_OTHER_CLOUD = (
    r"google\.cloud\.(storage|firestore|bigquery|pubsub|pubsub_v1|datastore|secretmanager"
    r"|logging|tasks|tasks_v2|texttospeech|translate|translate_v2)"
)
_CREDENTIALS = (
    r"google\.oauth2\.(service_account|credentials)|oauth2client\.(service_account|client)"
)


def rules(project: Project) -> List[Rule]:
    """What is done about the modules of Google's SDKs."""
    google = Google(project.entries, project.schema)
    generations = Generations(project.root, project.texts)
    made: Dict[bool, Standins] = {False: Standins(google, project.schema)}

    def standin(name: str) -> InertModule:
        plain = generations.is_old(name)
        if plain not in made:
            made[plain] = Standins(google, Schema(project.schemas, plain=plain))
        return made[plain].module(name)

    sdk = Sdk(google, made[False])
    project.warmers.append(sdk.warm)
    discovery = Discovery(google)
    return [
        Rule(r"google\.cloud\.(vision|language|speech)_v\w+", patch=sdk.patch),
        Rule(MODULES, standin=standin, instead=generations.is_old),
        Rule(_OTHER_CLOUD, patch=patch_clients),
        Rule(r"google\.auth", google_auth.patch_auth, google_auth.auth_module),
        Rule(_CREDENTIALS, patch=google_auth.patch_credentials),
        Rule(r"google\.api_core\.exceptions", standin=exceptions_module),
        Rule(r"google\.(cloud|protobuf|api_core)", standin=InertModule),
        Rule(r"google\.protobuf\.json_format", patch=patch_json_format, standin=json_format_module),
        Rule(r"googleapiclient\.discovery", discovery.patch, discovery.module),
        Rule(r"apiclient\.discovery", standin=discovery.module),
    ]
