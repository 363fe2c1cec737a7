"""Rules and the messages of their findings, one module and one file of data an analyzer.

They depend on the vocabulary alone: the processes that load no analyzer (web pages,
settings, what holds GitHub's key) read the same words.
"""

from analyzers.rules import (
    assembly_rules,
    cloud_rules,
    code_error_rules,
    model_rules,
    property_rules,
    relation_rules,
)
from analyzers.rules.rule import Rule

RULES: dict[str, Rule] = {
    rule.id: rule
    for module in (
        cloud_rules,
        code_error_rules,
        property_rules,
        relation_rules,
        model_rules,
        assembly_rules,
    )
    for rule in module.RULES
}

__all__ = ["RULES", "Rule"]
