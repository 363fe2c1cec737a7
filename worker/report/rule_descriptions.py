"""What each rule says, for formats that explain rules beside findings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: what it says, and what to do about it."""

    id: str
    says: str
    help: str


RULES: dict[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule(
            "cloud/low-recall",
            "Inputs meant for a branch do not reach it",
            "The ML API often answers otherwise than the condition expects. Let the condition"
            " know the other answers too, or compare less strictly.",
        ),
        Rule(
            "cloud/dead-branch",
            "A branch that no ML answer can reach, or one that is always taken",
            "Check the condition: a text that stands alone in it is always true, and a label"
            " that the API never gives is never equal.",
        ),
        Rule(
            "cloud/unknown-label",
            "Compares with a label that the API's vocabulary lacks",
            "Use the spelling of the vocabulary; the closest labels stand in the evidence.",
        ),
        Rule(
            "cloud/mixed-sentiment",
            "A score or magnitude test does not separate positive from negative",
            "The sign of the score says positive or negative; the magnitude says how strong.",
        ),
        Rule(
            "cloud/crash",
            "An ML answer makes the code raise",
            "Answers may be empty, and texts may be no numbers: handle the answer that is"
            " recorded in the reproducer.",
        ),
        Rule(
            "cloud/misuse",
            "Uses an ML API's answer, or asks for it, in a way that cannot be meant",
            "See docs/misuses.md for each kind: compare scores on the API's own scale, enums"
            " with enums, numbers with numbers; ask a question once; read the error field.",
        ),
        Rule(
            "code/error",
            "The function raises on every input, or on an ordinary one, by its own doing",
            "Correct the line that raises: the name, key, variable or call that is named is"
            " wrong whatever the function is given. Nothing that Assayer made up takes part.",
        ),
        Rule(
            "behaviour/changed",
            "The same inputs have another outcome than on the base",
            "Nothing, where the change is meant: it is told so that a reviewer sees it. It never"
            " changes the verdict.",
        ),
        Rule(
            "property/crash",
            "A valid input crashes the function",
            "Handle the input, or refuse it on purpose: a raise or an assert about the arguments"
            " is no crash. Where the input is not meant to be valid, say what is:"
            " docs/annotations.md has the words, `assayer annotate` proposes them.",
        ),
        Rule(
            "property/postcondition",
            "A postcondition does not hold after a call with a valid input",
            "Correct the function, or the #@ensure or #@returns annotation (a return type counts"
            " as one) that says more than is meant.",
        ),
        Rule(
            "property/invalid-annotation",
            "An annotation that can't be read or can never be met",
            "Correct the annotation at the column that is named; docs/annotations.md lists the"
            " words. Until then the function is not tested.",
        ),
        Rule(
            "property/removed-api",
            "Uses what current versions of a library have no more",
            "Use the replacement that is named, or bound the library's version in the project's"
            " dependencies.",
        ),
        Rule(
            "relation/value",
            "A DL API call gives another value than an equivalent API",
            "Use the equivalent call where it is the right one, or refuse the arguments before the"
            " call. The smallest arguments, both results and the library's version stand in the"
            " finding.",
        ),
        Rule(
            "relation/status",
            "A DL API call hangs, or takes silently what its documentation forbids",
            "Check the arguments before the call: the library does not.",
        ),
        Rule(
            "relation/crash",
            "A DL API call takes the process down",
            "Check the arguments before the call, or use the equivalent call. No handler of"
            " exceptions helps: the process is gone.",
        ),
        Rule(
            "model/divergence",
            "The model gives another result on another execution of the same mathematics",
            "Look at the first layer that differs, at the line that is named: say the same with"
            " other operators, or compare with what is exported in the project's own tests.",
        ),
        Rule(
            "model/non-finite",
            "The model gives infinite or undefined values on some executions only",
            "Look at the first layer that does, and at the range of what it is fed: bound it before"
            " the layer, or compute it in a form that does not overflow.",
        ),
        Rule(
            "model/crash",
            "The model runs eagerly, and fails on another execution",
            "Use operators at the line that is named which the other execution takes, or do not"
            " run the model there.",
        ),
        Rule(
            "model/not-compiled",
            "A model that is compiled is left to eager execution, in whole or in part",
            "Nothing goes wrong, but nothing gets faster either: the finding says which part the"
            " compiler leaves out and why.",
        ),
        Rule(
            "assembly/unchecked-boundary",
            "A layer takes an illegal value silently",
            "Refuse the value before the layer is built: the library does not. The guard that is"
            " suggested was tried.",
        ),
        Rule(
            "assembly/state",
            "Assembled code breaks where its parts work",
            "Compute the sizes of layers from the parameters that may be set, or take those away."
            " Where training goes astray: look for square roots, logarithms and divisions whose"
            " derivative at zero is infinite.",
        ),
    )
}


def rule_of(name: str) -> Rule:
    """The rule of this name; one that is not listed speaks for itself."""
    return RULES.get(name) or Rule(name, name, "See the finding.")
