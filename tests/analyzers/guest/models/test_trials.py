"""Models of whose inputs nobody says anything, built by their constructors and tried."""

from dataclasses import replace

import pytest

from analyzers.guest.models.built_models import drawn_instances, forward_arguments
from analyzers.guest.protocol.argument_decoding import Unusable
from tests.analyzers.guest.search.targets import target

NET = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self, image_size, patch_size, dim):
            super().__init__()
            assert image_size % patch_size == 0
            self.patch = patch_size
            self.places = torch.nn.Parameter(torch.zeros((image_size // patch_size) ** 2, dim))
            self.to_patch = torch.nn.Linear(3 * patch_size ** 2, dim)

        def forward(self, img):
            size = self.patch
            parts = torch.nn.functional.unfold(img, size, stride=size).transpose(1, 2)
            assert parts.shape[1] == len(self.places)
            return self.to_patch(parts) + self.places
"""
SIZES = {
    "image_size": "froms([16, 32])",
    "patch_size": "froms([8, 16, 32])",
    "dim": "ints(min=1, max=8)",
}
MESSAGE = {"contract": {"constructor": {"arguments": SIZES}}, "seed": 0}


@pytest.fixture(scope="module")
def prepared():
    return replace(target(NET, "Net"), name="Net.forward")


def test_small_instances_come_first_but_for_those_that_compute_little(prepared):
    found = drawn_instances(prepared, MESSAGE)
    assert len(found) > 10
    assert found[0].startswith("Net(image_size=16, patch_size=8, dim=")
    assert all("dim=1)" in each for each in found[-2:])


def test_inputs_are_those_that_the_instance_runs_on(prepared):
    given = forward_arguments(prepared, "Net(image_size=32, patch_size=8, dim=4)")
    assert given == {
        "self": {"kind": "made", "recipe": "Net(image_size=32, patch_size=8, dim=4)"},
        "img": {"kind": "made", "recipe": "tensor((2, 3, 32, 32), seed=1)"},
    }


def test_instance_that_refuses_its_sizes_is_none(prepared):
    with pytest.raises(Unusable, match="AssertionError"):
        forward_arguments(prepared, "Net(image_size=16, patch_size=32, dim=4)")


def test_model_that_takes_nothing_that_is_tried_is_none():
    odd = target(
        """
        import torch

        class Net(torch.nn.Module):
            def forward(self, graph):
                return graph.edges()
        """,
        "Net",
    )
    with pytest.raises(Unusable, match="no inputs that the model takes are known"):
        forward_arguments(odd, "Net()")
