"""What an honest guest tells of a study."""

RELATION = {
    "kind": "relation",
    "source": "torch.abs",
    "target": "torch.absolute",
    "template": "torch.absolute(input)",
    "holds": "value",
    "inputs": 3,
}
DIVERGENCE = {
    "kind": "divergence",
    "api": "torch.abs",
    "rule": "value",
    "relation": "reference",
    "related": "torch._refs.abs(input)",
    "call": "torch.abs(torch.tensor([1.0]))",
    "outcome": "1",
    "expected": "2",
}


def progress(*rows, **changes):
    """A frame that says how far a study is."""
    frame = {"type": "progress", "stage": "verifying", "done": 0, "total": 9, "rows": list(rows)}
    return {**frame, **changes}
