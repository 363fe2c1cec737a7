"""The rules for AWS's clients."""

from __future__ import annotations

from typing import List

from .aws import Aws
from .aws_sdk import Botocore
from .aws_standins import Standins
from .described import Described
from .family import Project, Rule


def rules(project: Project) -> List[Rule]:
    """What is done about the modules of boto3 and botocore."""
    aws = Aws(Described(project.entries, project.schema))
    sdk, standins = Botocore(aws, project.texts), Standins(aws)
    project.warmers.append(sdk.warm)
    return [
        Rule(r"botocore\.client", patch=sdk.client),
        Rule(r"botocore\.session", patch=sdk.session),
        Rule(r"botocore\.loaders", patch=sdk.loaders),
        Rule(r"boto3(\.session)?", standin=standins.boto3),
        Rule(r"botocore\.exceptions", standin=standins.exceptions),
    ]
