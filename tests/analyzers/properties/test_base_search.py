"""Variants of known calls, judged by base: what head refuses, breaks or answers otherwise."""

import textwrap

import pytest

from analyzers.inference.function_lookup import find_function, sibling_method
from analyzers.properties.base_comparison import (
    changed_findings,
    failures_on_head,
    new_failure,
    refusal_findings,
)
from analyzers.properties.base_search import ComparedRun, compared_runs
from analyzers.properties.call_variants import KnownCall, Variants, smaller
from analyzers.properties.properties_analyzer import PropertiesAnalyzer
from analyzers.vocabulary import Level, Probe, Raised, RecipeArgument, Returned, Run
from tests.analyzers.properties.revisions import PATH, TwoRevisions, target

QUANTIZER = """
    import torch
    from torch import nn

    class Quantizer(nn.Module):
        def __init__(self, dim, codes, weight=0.0, active_only=False, most=None):
            super().__init__()
            self.embed = torch.linspace(-1, 1, codes * dim).reshape(1, codes, dim)
            self.weight, self.active_only, self.most = weight, active_only, most

        def forward(self, x):
            found = torch.cdist(x, self.embed).argmin(-1)
            loss = torch.zeros(1)
            if self.weight > 0:
                embed = self.embed
                if self.active_only:
                    embed = embed[:, found.unique()]
                loss = loss + embed.norm() * self.weight
            return self.embed[0][found], loss
"""
README = """
```python
import torch
from net import Quantizer

quantizer = Quantizer(dim=256, codes=512, weight=10.0)
quantizer(torch.randn(1, 1024, 256))
```
"""


def text(source):
    return textwrap.dedent(source)


def compared(base, head, function, more=None):
    bench = TwoRevisions(text(base), text(head), more)
    return compared_runs(target(function), (), bench), bench


def findings(base, head, function, more=None):
    runs, bench = compared(base, head, function, more)
    failing = [
        new_failure(each, runs, target(function), bench) for each in failures_on_head(runs, bench)
    ]
    failing += refusal_findings(target(function), runs)
    return [*failing, *changed_findings(target(function), (), runs, bench)]


def test_flag_that_changed_lines_read_is_flipped_in_a_documented_call():
    head = QUANTIZER.replace("embed[:, found.unique()]", "embed[found.unique()]")
    (crash,) = findings(QUANTIZER, head, "Quantizer.forward", {"README.md": text(README)})
    assert (crash.rule, crash.level) == ("property/crash", Level.FAILURE)
    assert "active_only=True" in crash.evidence["arguments"]["self"]


def test_same_code_tells_nothing():
    assert not findings(QUANTIZER, QUANTIZER, "Quantizer.forward", {"README.md": text(README)})


def test_large_sizes_are_made_smaller_together():
    call = KnownCall({"self.dim": "256", "self.codes": "512", "x": "tensor((1, 1024, 256))"}, "Q")
    first = next(iter(smaller(call)))
    assert first.recipes() == {"self": "Q(dim=4, codes=8)", "x": "tensor((1, 16, 4))"}


def test_arguments_by_place_are_named():
    subject = find_function(PATH, "Quantizer.forward", {PATH: text(QUANTIZER)})
    call = KnownCall.of(
        {"self": "Quantizer(8, 16, active_only=True)"}, sibling_method(subject, "__init__")
    )
    assert call.given == {"self.dim": "8", "self.codes": "16", "self.active_only": "True"}


POOL = """
    import torch

    def pooled(x: torch.Tensor, mask: torch.Tensor = None, mode: str = "mean") -> torch.Tensor:
        if mask is not None:
            x = x * mask
        if mode == "max":
            return x.amax(-1)
        return x.sum(-1) / x.shape[-1]

    pooled(torch.randn(2, 4))
"""


@pytest.mark.parametrize(
    ("old", "new", "rule", "level", "shown"),
    [
        ("x.amax(-1)", "x.amax(1).T @ 1", "property/crash", Level.FAILURE, "'max'"),
        ("x * mask", "x.masked_fill_(mask, 0)", "property/crash", Level.FAILURE, "mask"),
        ("x.shape[-1]", "x.sum(-1) * x.sum(-1)", "model/non-finite", Level.FAILURE, "fill=0"),
        ("x.amax(-1)", "x.amax(-1, keepdim=True)", "behaviour/changed", Level.WARNING, "'max'"),
        ("x * mask", "x * ~mask.bool()", "behaviour/changed", Level.NOTICE, "mask"),
    ],
    ids=["crash", "mask", "zero", "shape", "value"],
)
def test_other_outcome_of_a_variant_is_told(old, new, rule, level, shown):
    told = findings(POOL, POOL.replace(old, new), "pooled")
    (finding,) = [each for each in told if each.rule == rule]
    assert finding.level is level
    assert shown in str(finding.evidence["arguments"])


@pytest.mark.parametrize(
    ("new", "level"),
    [("x = x * mask.float()", Level.NOTICE), ("x = x.masked_fill_(mask, 0)", Level.WARNING)],
)
def test_value_of_an_unknown_kind_makes_a_crash_less_than_a_failure(new, level):
    base = POOL.replace("mask: torch.Tensor = None", "mask=None")
    head = base.replace("x = x * mask", new)
    crashes = [each for each in findings(base, head, "pooled") if each.rule == "property/crash"]
    levels = {each.level for each in crashes}
    assert level in levels
    assert Level.FAILURE not in levels


@pytest.mark.parametrize(
    ("said", "level"),
    [
        ("\"fft\" not implemented for 'Half'", Level.NOTICE),
        ("\"max_pool2d\" not implemented for 'Bool'", Level.FAILURE),
        ("sizes differ", Level.FAILURE),
    ],
)
def test_kernel_that_the_processor_lacks_for_short_floats_is_a_notice(said, level):
    given = {"x": RecipeArgument("tensor((2,), dtype='float16')")}
    probe = Probe("net.py::pooled", given, observed=True)
    ending = Raised("RuntimeError", said, PATH, 3, "pooled")
    runs = [ComparedRun(probe, Run(Returned("")), Run(ending))]
    bench = TwoRevisions(text(POOL), text(POOL))
    (failure,) = failures_on_head(runs, bench)
    assert new_failure(failure, runs, target("pooled"), bench).level is level


def test_inputs_that_base_refuses_are_left_out():
    head = POOL.replace('if mode == "max"', 'if mode == "max" and x.dim() > 1')
    runs, _ = compared(POOL, head, "pooled")
    assert runs
    assert all(each.base.ending.__class__.__name__ == "Returned" for each in runs)


def test_variants_leave_parameters_alone_that_one_side_lacks():
    subject = find_function(PATH, "pooled", {PATH: text(POOL)})
    call = KnownCall({"x": "tensor((2, 4), seed=1)"})
    made = list(Variants(subject, None, frozenset({"x", "mode"})).of(call))
    assert any("mode" in each.given for each in made)
    assert not any("mask" in each.given for each in made)


def test_refusal_that_the_change_adds_is_a_notice():
    line = "        if mask is not None:"
    head = POOL.replace(line, f"        assert x.dtype == torch.float32\n{line}")
    (refusal,) = findings(POOL, head, "pooled")
    assert (refusal.rule, refusal.level) == ("behaviour/changed", Level.NOTICE)
    assert refusal.criterion.refused
    assert "float64" in str(refusal.evidence["arguments"])


def test_values_are_compared_where_the_same_random_numbers_were_drawn():
    base = """
        import torch

        def noisy(x: torch.Tensor) -> torch.Tensor:
            return x + torch.rand(3)

        noisy(torch.randn(3))
    """
    (told,) = findings(base, base.replace("torch.rand(3)", "2 * torch.rand(3)"), "noisy")
    assert told.rule == "behaviour/changed"
    assert not findings(base, base.replace("torch.rand(3)", "torch.rand(9)[:3]"), "noisy")


def test_optimizer_that_makes_a_parameter_infinite_is_told():
    base = """
        import torch

        class Descent(torch.optim.Optimizer):
            def __init__(self, params, lr: float = 0.1):
                super().__init__(params, {"lr": lr})

            def step(self):
                for group in self.param_groups:
                    for each in group["params"]:
                        each.data.sub_(group["lr"] * each.grad / (each.grad.norm() + 1e-6))
    """
    head = base.replace("(each.grad.norm() + 1e-6)", "each.grad.norm()")
    told = {each.rule for each in findings(base, head, "Descent.step")}
    assert "model/non-finite" in told


RELATED = """
    import torch

    def scaled(x: torch.Tensor, factor: float = 2.0, shift: float = 0.5) -> torch.Tensor:
        return (x.abs() * factor + shift).softmax(-1)

    scaled(torch.randn(3, 4))
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("* factor", "* 2.0", "`factor` changes the result"),
        ("softmax(-1)", "softmax(0)", "rows of a batch depend"),
        ("softmax(-1)", "softmax(-1) - 0.2", "no result is negative"),
        ("x.abs()", "x.abs() * (1 + (x.dtype == torch.float16))", "float16"),
    ],
)
def test_relation_that_holds_on_base_alone_makes_a_warning(old, new, said):
    told = findings(RELATED, RELATED.replace(old, new), "scaled")
    (changed,) = [each for each in told if each.rule == "property/changed"]
    assert changed.level is Level.WARNING
    assert said in changed.message


COUNTED = """
    import torch

    def counted(x: torch.Tensor, number: int = 3) -> torch.Tensor:
        return x.abs() * number

    counted(torch.randn(3, 4))
"""


def test_number_that_nothing_says_to_be_negative_makes_no_result_negative_on_base():
    head = COUNTED.replace("* number", "* number - 0.2")
    (changed,) = [e for e in findings(COUNTED, head, "counted") if e.rule == "property/changed"]
    assert changed.level is Level.WARNING


SHARES = """
    import torch

    def shares(x: torch.Tensor) -> torch.Tensor:
        return x.softmax(dim=-1)

    shares(torch.randn(3, 4))
"""


def test_results_that_sum_to_one_no_more_are_a_warning():
    (changed,) = findings(SHARES, SHARES.replace("dim=-1", "dim=0"), "shares")
    assert changed.level is Level.WARNING
    assert "sum to one" in changed.message


def test_other_value_that_breaks_no_relation_is_a_notice():
    (changed,) = findings(RELATED, RELATED.replace("+ shift", "* shift"), "scaled")
    assert changed.level is Level.NOTICE


def test_option_that_every_call_gives_is_left_out_too():
    subject = find_function(PATH, "scaled", {PATH: text(RELATED)})
    call = KnownCall({"x": "tensor((3, 4), seed=1)", "shift": "0.5"})
    made = Variants(subject, None, frozenset({"x", "shift"})).of(call)
    assert any("shift" not in each.given for each in made)


def test_what_base_shows_is_told_before_inputs_are_drawn(monkeypatch):
    bench = TwoRevisions(text(RELATED), text(RELATED.replace("+ shift", "* shift")))
    monkeypatch.setattr(bench, "explore", None)
    monkeypatch.setattr(
        bench, "observe", lambda _, runs_tests=True: () if not runs_tests else 1 / 0
    )
    first = next(PropertiesAnalyzer().examine(target("scaled"), bench))
    assert (first.rule, first.level) == ("behaviour/changed", Level.NOTICE)


PROJECTED = """
    import torch

    def factors(x, rank):
        return torch.ones(x.shape[0], rank), torch.ones(rank, x.shape[1])

    def projected(x: torch.Tensor, rank=2, side="left", scale=1.0):
        left, right = factors(x, rank)
        if side == "left":
            return left.T @ x
        if side == "right":
            return x @ right.T
        if scale > 1:
            x.tail
        return x
"""
PROJECTS = {"use.py": "import torch\nfrom net import projected\nprojected(torch.randn(3, 4))\n"}


def test_what_a_change_makes_raise_at_other_lines_is_one_failure():
    swapped = PROJECTED.replace("x.shape[0], rank)", "rank, x.shape[0])")
    swapped = swapped.replace("rank, x.shape[1])", "x.shape[1], rank)")
    found = findings(PROJECTED, swapped, "projected", PROJECTS)
    assert [each.rule for each in found if each.rule == "property/crash"] == ["property/crash"]
    assert found[0].evidence["cause"] == [PATH]


def test_lines_that_a_change_touches_fail_apart():
    broken = PROJECTED.replace("left.T @ x", "left.T @ x.U").replace("@ right.T", "@ right.S")
    found = findings(PROJECTED, broken, "projected", PROJECTS)
    assert len([each for each in found if each.rule == "property/crash"]) == 2
    assert not any("cause" in each.evidence for each in found)


CACHED = """
    import torch
    from torch import nn

    class Rotary(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.register_buffer("freqs", torch.ones(dim))

        def forward(self, x):
            return x * self.freqs
"""
CALLED = {"use.py": "import torch\nfrom net import Rotary\nRotary(4)(torch.randn(3, 4))\n"}


def test_what_a_call_leaves_in_its_instance_is_a_notice():
    head = CACHED.replace("return x", 'self.register_buffer("seen", x)\n            return x')
    (changed,) = findings(head, CACHED, "Rotary.forward", CALLED)
    assert (changed.rule, changed.level) == ("behaviour/changed", Level.NOTICE)
    assert not findings(CACHED, CACHED, "Rotary.forward", CALLED)


AVERAGED = """
    import torch

    def averaged(model):
        return [name for name, each in model.named_parameters() if each.is_floating_point()]
"""


@pytest.mark.parametrize("seen", ["each.dtype == torch.float32", "'0' in name"])
def test_modules_of_ours_take_other_dtypes_and_buffers(seen):
    head = AVERAGED.replace("each.is_floating_point()", seen)
    subject = find_function(PATH, "averaged", {PATH: text(head)})
    call = KnownCall({"model": "module((3,), (2,))"})
    made = Variants(subject, None, frozenset({"model"})).of(call)
    given = {each.given["model"] for each in made}
    assert {"module((3,), (2,), dtype='float64')", "module((3,), (2,), norm=True)"} <= given
    bench = TwoRevisions(text(AVERAGED), text(head))
    drawn = Probe(f"{PATH}::averaged", {"model": RecipeArgument(call.given["model"])})
    runs = compared_runs(target("averaged"), [drawn], bench)
    (changed,) = changed_findings(target("averaged"), (), runs, bench)
    assert changed.level is Level.WARNING


LOSS = """
    import torch

    def loss(scores, labels):
        same = (labels[:, None] == labels[None]).float() - torch.eye(len(labels))
        found = scores.mean() * same.sum()
        return found / same.sum(-1).clamp(min=1).min()
"""


def test_labels_are_of_few_classes_too():
    head = LOSS.replace(".clamp(min=1)", "")
    given = {"scores": "tensor((5, 2))", "labels": "tensor((5,), dtype='int64', seed=0, high=29)"}
    drawn = Probe(f"{PATH}::loss", {name: RecipeArgument(each) for name, each in given.items()})
    bench = TwoRevisions(text(LOSS), text(head))
    runs = compared_runs(target("loss"), [drawn], bench)
    found = list(changed_findings(target("loss"), (), runs, bench))
    assert [each.rule for each in found][:1] == ["model/non-finite"]


CHOOSING = """
    import numpy as np

    def arranged(x, kind):
        return x + len(kind) if kind != "rare" else x * 2
"""


def test_calls_that_choose_what_changed_come_first():
    kinds = [*"abcdefgh", "rare"]
    lines = [f"arranged(np.ones(3), {kind!r})" for kind in kinds]
    use = {"use.py": "\n".join(["import numpy as np", "from net import arranged", *lines])}
    runs, _ = compared(CHOOSING, CHOOSING.replace("* 2", "* 3"), "arranged", use)
    assert runs[0].call.given["kind"] == "'rare'"


def test_example_in_a_docstring_is_taken_on_base_and_fails_on_head():
    base = text("""
        import torch

        def pairs(labels, words, scale=1.0):
            '''Return one word for each pair.

            >>> labels = torch.zeros(3, dtype=torch.int64)
            >>> pairs(labels, {"a": (0, 1)})
            '''
            return {name: labels[first] * scale for name, (first, last) in words.items()}
    """)
    crash, *_ = findings(base, base.replace("(first, last)", "first, last"), "pairs")
    assert (crash.rule, crash.evidence["exception"]) == ("property/crash", "ValueError")


CROP = """
    import torch

    def crop(image: torch.Tensor, matrix: torch.Tensor):
        \"\"\"Crop images.

        Args:
            image: images with shape (B, C, H, W).
            matrix: a matrix with shape (B, 3, 3).
        \"\"\"
        return image.sum((1, 2, 3)) + (matrix[:, :2] @ torch.ones(3)).sum(1)

    def usage():
        return crop(torch.rand(2, 3, 8, 8), torch.rand(2, 3, 3))
"""


@pytest.mark.parametrize(
    ("words", "told"), [("a matrix with shape (B, 3, 3).", False), ("a matrix.", True)]
)
def test_shapes_that_the_docstring_rules_out_are_not_tried(words, told):
    base = CROP.replace("a matrix with shape (B, 3, 3).", words)
    head = base.replace("matrix[:, :2]", "(torch.eye(3) @ matrix)[:, :2]")
    runs, bench = compared(base, head, "crop")
    assert runs
    assert bool(failures_on_head(runs, bench)) == told
