"""OpenAI's models at a resource of Azure's.

https://learn.microsoft.com/azure/ai-services/openai/reference
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from worker.engines.openai import PATHS, OpenAI
from worker.engines.request import ApiRequest, NotAsked

VERSION = "2024-10-21"
_DEPLOYED = frozenset({"chat_completions", "completions", "transcriptions"})
_DEPLOYMENT = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass
class AzureOpenAI(OpenAI):
    """The resource at ``endpoint``, which has no public default.

    It answers the same APIs as OpenAI itself; the model that the code names is
    the name of a deployment.
    """

    provider: str = "azure.openai"
    endpoint: str = ""

    @property
    def identity(self) -> str:
        """Service and address, part of every recording's key."""
        return f"{self.provider}@{self.endpoint.rstrip('/')}"

    def answers(self, api: str) -> bool:
        """Every API of OpenAI's."""
        return api.rpartition(".")[0] in {self.provider, "openai"}

    def address(self, task: str, request: ApiRequest) -> tuple[str, dict[str, str]]:
        """Below the deployment, and the version; responses have an address of their own.

        Raises:
            NotAsked: Azure has no such API, or no deployment is named.

        """
        base = f"{self.endpoint.rstrip('/')}/openai"
        if task == "responses":
            return f"{base}/v1/{PATHS[task]}", {}
        if task not in _DEPLOYED:
            raise NotAsked(f"Azure OpenAI has no {task}")
        model = str(request.parameters.get("model") or "")
        if _DEPLOYMENT.fullmatch(model) is None:
            raise NotAsked("Azure OpenAI needs the name of a deployment as the model")
        url = f"{base}/deployments/{quote(model)}/{PATHS[task]}"
        return url, {"api-version": VERSION}

    def authorisation(self, key: str) -> dict[str, str]:
        """The header that says who asks."""
        return {"api-key": key}
