"""Torch's public callables: their names, what they take, and which are never called."""

import operator

import pytest
import torch

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.relation_types import FUNCTION, LAYER, METHOD, LibraryApi
from analyzers.guest.relations.torch_library.torch_catalogue import is_unsafe

TORCH = library("torch")
APIS = {api.name: api for api in TORCH.apis()}


def names(api: str) -> list[str]:
    return [item.name for item in APIS[api].parameters]


def required(api: str) -> list[str]:
    return [item.name for item in APIS[api].parameters if item.required]


def default(api: str, name: str) -> str:
    (found,) = [item for item in APIS[api].parameters if item.name == name]
    assert found.default is not None
    return found.default.source()


def test_there_are_as_many_as_torch_has() -> None:
    assert len(APIS) > 1_650
    assert list(APIS) == sorted(APIS)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("torch.add", FUNCTION),
        ("torch.Tensor.view", METHOD),
        ("torch.nn.Softshrink", LAYER),
        ("torch.nn.functional.ctc_loss", FUNCTION),
        ("torch.linalg.norm", FUNCTION),
        ("torch.special.erf", FUNCTION),
        ("torch.fft.rfft", FUNCTION),
        ("torch.signal.windows.hann", FUNCTION),
    ],
)
def test_kinds(name: str, kind: str) -> None:
    assert APIS[name].kind == kind


def test_every_name_leads_to_what_it_names() -> None:
    for api in APIS.values():
        assert TORCH.named(TORCH.function(api.name)) == api.name
        found: object = torch
        for part in api.name.split(".")[1:]:
            found = getattr(found, part)
        assert found == TORCH.function(api.name)


def test_one_object_has_one_name() -> None:
    assert APIS["torch.nn.functional.conv2d"].others == ("torch.conv2d",)
    assert TORCH.named(torch.conv2d) == "torch.nn.functional.conv2d"
    assert TORCH.function("torch.conv2d") is torch.conv2d
    assert "torch.conv2d" not in APIS


def test_same_names_of_different_objects_stay_apart() -> None:
    assert {"torch.erf", "torch.special.erf", "torch.Tensor.erf", "torch.Tensor.erf_"} <= set(APIS)


def test_operators_go_by_the_function() -> None:
    assert TORCH.named(torch.Tensor.__matmul__) == "torch.matmul"
    assert TORCH.named(torch.Tensor.__rsub__) == "torch.rsub"
    assert TORCH.named(torch.Tensor.__rpow__) is None
    assert TORCH.named(torch.Tensor.__getitem__) is None


def test_what_is_not_torchs_has_no_name() -> None:
    assert TORCH.named(operator.add) is None
    assert TORCH.named([]) is None


def test_what_touches_files_devices_or_settings_is_never_called() -> None:
    unsafe = ("save", "load", "manual_seed", "set_num_threads", "from_file", "compile", "fork")
    for name in unsafe:
        assert f"torch.{name}" not in APIS
        with pytest.raises(LookupError):
            TORCH.function(f"torch.{name}")
    assert is_unsafe("torch.Tensor.share_memory_")
    assert not is_unsafe("torch.nn.functional.pad")


def test_overloads_are_taken_together() -> None:
    assert names("torch.max") == ["input", "dim", "keepdim"]
    assert required("torch.max") == ["input"]
    assert names("torch.Tensor.sum") == ["self", "dim", "keepdim", "dtype"]


def test_what_any_overload_takes_by_name_is_taken_by_name() -> None:
    (alpha,) = [item for item in APIS["torch.add"].parameters if item.name == "alpha"]
    assert (alpha.keyword_only, alpha.required) == (True, False)


def test_python_functions_have_their_signature() -> None:
    assert names("torch.nn.functional.leaky_relu") == ["input", "negative_slope", "inplace"]
    assert default("torch.nn.functional.leaky_relu", "negative_slope") == "0.01"
    assert names("torch.block_diag") == ["*tensors"]


def test_a_layers_inputs_are_parameters_too() -> None:
    taken = [(item.name, item.is_input) for item in APIS["torch.nn.Softshrink"].parameters]
    assert taken == [("lambd", False), ("input", True)]


def test_a_layer_that_hides_its_signature_is_read_in_its_documentation() -> None:
    assert names("torch.nn.LSTM")[:3] == ["input_size", "hidden_size", "num_layers"]
    assert required("torch.nn.LSTM")[:3] == ["input_size", "hidden_size", "input"]


def test_nearly_all_parameters_are_known() -> None:
    unknown = [api for api in APIS.values() if not api.parameters]
    assert len(unknown) < 25


def test_documentation_comes_along() -> None:
    documented: list[LibraryApi] = [api for api in APIS.values() if api.doc]
    assert len(documented) > 1_300
    assert "least common multiple" in APIS["torch.lcm"].doc.lower()
