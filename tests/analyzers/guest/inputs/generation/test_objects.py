"""What is made for objects works with the libraries that take it."""

import argparse
import csv
import dataclasses
import io
import json
import pathlib
import typing
import wave

import numpy as np
import pydantic
import pytest
import torch
import yaml
from PIL import Image

from analyzers.guest.inputs.generation.call_scope import CallScope, UnsatisfiableConstraint
from analyzers.guest.inputs.makers.file_makers import image, path
from analyzers.guest.inputs.makers.object_makers import config, module, optimizer
from tests.analyzers.guest.inputs.generation.calling import drawn


def test_datasets_can_be_loaded_in_batches():
    said = "datasets(items=(tensors(shape=(3, ints(2, 9))), ints(0, 9)), min_len=2, max_len=5)"
    for call in drawn({"data": said}):
        data = call["data"]
        assert isinstance(data, torch.utils.data.Dataset)
        assert 2 <= len(data) <= 5
        (pictures, labels), *_ = torch.utils.data.DataLoader(data, batch_size=len(data))
        assert pictures.shape[:2] == (len(data), 3)
        assert labels.tolist() == [label for _, label in (data[i] for i in range(len(data)))]


@pytest.mark.slow
def test_datasets_survive_workers():
    (call, *_) = drawn({"data": "datasets(items=tensors(shape=(2,)), min_len=3)"}, examples=1)
    loaded = torch.utils.data.DataLoader(
        call["data"], num_workers=1, multiprocessing_context="spawn"
    )
    assert len([*loaded]) == len(call["data"])


def test_loaders_iterate():
    said = 'loaders(items=(tensors(shape=(1, "h")), int_lists(1, 4, 0, 9)), batch_size=ints(1, 3))'
    sizes = set()
    for call in drawn({"batches": said, "x": 'tensors(shape="h")'}):
        for pictures, numbers in call["batches"]:
            sizes.add(len(pictures))
            assert pictures.shape[1:] == (1, *call["x"].shape)
            assert all(len(column) == len(pictures) for column in numbers)
    assert sizes == {1, 2, 3}


SHAPES = [
    ((8,), (4,)),
    ((3, 8, 6), (5,)),
    ((3, 8, 8), (6, 8, 8)),
    ((3, 8, 8), (6, 4, 2)),
    ((7, 5), (7, 2)),
    ((7, 5), (3,)),
    ((4,), (2, 3)),
    ((2, 2, 2, 2), (3,)),
]


@pytest.mark.parametrize(("inputs", "outputs"), SHAPES)
def test_modules_have_outputs_of_the_shape(inputs, outputs):
    made = module(inputs, outputs, seed=1)
    for batch in ((), (1,), (5,)):
        assert made(torch.zeros(batch + inputs)).shape == batch + outputs


def test_modules_are_those_of_their_seed_and_nothing_else():
    torch.manual_seed(3)
    state = torch.get_rng_state()
    one, same, other = (module((4,), (2,), seed=seed).state_dict() for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(one["0.weight"], same["0.weight"])
    assert not torch.equal(one["0.weight"], other["0.weight"])


def test_modules_of_sequences_and_without_a_batch():
    for call in drawn({"m": 'modules(in="b t d", out="b t k")', "x": 'tensors(shape="b t d")'}):
        assert call["m"](call["x"]).shape[:2] == call["x"].shape[:2]
    for call in drawn({"m": 'modules(in="3 h w", out="10")', "x": 'tensors(shape="3 h w")'}):
        assert call["m"](call["x"]).shape == (10,)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta"])
def test_optimizers_step(name):
    made = optimizer(name)
    weights = made.param_groups[0]["params"]
    before = [each.detach().clone() for each in weights]
    sum(each.sum() for each in weights).backward()
    made.step()
    assert not torch.equal(before[0], weights[0])


def test_optimizers_by_name():
    assert {type(call["o"]).__name__ for call in drawn({"o": 'optimizers("Adam")'})} == {"Adam"}
    assert {type(call["o"]).__name__ for call in drawn({"o": 'optimizers("rmsprop")'})} == {
        "RMSprop"
    }
    with pytest.raises(UnsatisfiableConstraint, match=r"torch\.optim has no"):
        drawn({"o": 'optimizers("Adaam")'})


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_pictures_are_the_same_in_all_forms(channels):
    array = image("numpy", 5, 7, channels, seed=2)
    assert array.shape == ((5, 7) if channels == 1 else (5, 7, channels))
    assert np.array_equal(array, np.asarray(image("pil", 5, 7, channels, seed=2)))
    assert np.array_equal(array, np.asarray(Image.open(image("path", 5, 7, channels, seed=2))))
    held = io.BytesIO(image("bytes", 5, 7, channels, seed=2))
    assert np.array_equal(array, np.asarray(Image.open(held)))
    tensor = image("tensor", 5, 7, channels, seed=2)
    assert tensor.shape == (channels, 5, 7)
    assert np.array_equal(
        (tensor * 255).round().numpy(), array.reshape(5, 7, -1).transpose(2, 0, 1)
    )


def test_pictures_as_annotated():
    for call in drawn({"i": "images(channels=anys(1, 4), min_side=3, max_side=6)"}):
        assert call["i"].mode in ("L", "RGBA")
        assert all(3 <= side <= 6 for side in call["i"].size)
    with pytest.raises(UnsatisfiableConstraint, match="channels"):
        drawn({"i": "images(channels=2)"})


def frames(found):
    with wave.open(found, "rb") as file:
        return file.readframes(file.getnframes())


OPENED = {
    "image": lambda p: Image.open(p).convert("RGB"),
    "text": lambda p: pathlib.Path(p).read_text().splitlines()[0].split(),
    "json": lambda p: json.loads(pathlib.Path(p).read_text())["values"],
    "csv": lambda p: next(csv.DictReader(pathlib.Path(p).read_text().splitlines()))["value"],
    "yaml": lambda p: yaml.safe_load(pathlib.Path(p).read_text())["values"],
    "npy": np.load,
    "npz": lambda p: np.load(p)["values"],
    "pt": lambda p: torch.load(p)["weight"],
    "wav": frames,
    "folder": lambda p: [*pathlib.Path(p).iterdir()],
}


@pytest.mark.parametrize("kind", OPENED)
def test_files_open_with_their_libraries(kind):
    found = path(kind, seed=3)
    opened = OPENED[kind](found)
    assert len(opened) if hasattr(opened, "__len__") else opened
    assert path(kind, seed=3) != found


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [("text", "/../../x"), ("../../x", ".txt"), ("folder", "/../../../x"), ("text", "\\x")],
)
def test_file_is_made_in_a_folder_of_its_own(kind, suffix):
    with pytest.raises(ValueError, match="name no folders"):
        path(kind, suffix)


def test_files_by_suffix_and_as_paths():
    for call in drawn({"p": 'paths(suffix=".jpg", form="path")', "f": 'paths("folder", ".png")'}):
        assert isinstance(call["p"], pathlib.Path)
        assert Image.open(call["p"]).format == "JPEG"
        assert {Image.open(each).format for each in pathlib.Path(call["f"]).iterdir()} == {"PNG"}


def test_old_files_make_room():
    first = pathlib.Path(path("text"))
    for _ in range(300):
        path("text")
    assert not first.exists()
    assert len([*first.parent.parent.iterdir()]) <= 257


def test_callables_return_what_they_are_said_to():
    for call in drawn({"f": 'callables(returns=tensors(shape="b"))', "x": 'tensors(shape="b")'}):
        assert call["f"](call["x"], key=1).shape == call["x"].shape


def test_callables_of_which_nothing_is_said_return_the_last_array():
    (call, *_) = drawn({"f": "callables()", "x": 'tensors(shape="b")'})
    assert call["f"](0.5, call["x"]) is call["x"]
    assert call["f"](1) is None


@dataclasses.dataclass
class Cfg:
    hidden: int
    mode: typing.Literal["a", "b"]
    rate: typing.Optional[float]  # noqa: UP045 - both spellings
    sizes: typing.List[int]  # noqa: UP006 - both spellings
    name: str = "x"


class Model(pydantic.BaseModel):
    heads: typing.Annotated[int, pydantic.Field(gt=2, le=4)]
    drop: float = 0.1


class Plain:
    def __init__(self, width: int, *, form: str = "wide", inner: object = None):
        self.width, self.form = width, form


class Opaque:
    def __init__(self, thing):
        self.thing = thing


SCOPE = CallScope(
    {"Cfg": Cfg, "Model": Model, "Plain": Plain, "Opaque": Opaque, "argparse": argparse}
)


def test_fields_come_from_constraints_hints_and_defaults():
    for call in drawn(
        {"c": "configs(of=Cfg, hidden=ints(4, 8))", "m": "configs(of=Model)"}, scope=SCOPE
    ):
        c = call["c"]
        assert isinstance(c, Cfg)
        assert 4 <= c.hidden <= 8
        assert c.mode in ("a", "b")
        assert c.rate is None or 0 <= c.rate <= 1
        assert 1 <= len(c.sizes) <= 3
        assert c.name == "x"
        assert (call["m"].heads in (3, 4), call["m"].drop) == (True, 0.1)


def test_configurations_of_other_classes():
    said = {
        "p": 'configs(of=Plain, width=ints(1, 3), form="tall")',
        "a": "configs(of=argparse.Namespace, epochs=ints(1, 3), lr=floats(0, 1))",
    }
    for call in drawn(said, ["a.epochs <= p.width"], scope=SCOPE):
        assert (call["p"].form, type(call["a"])) == ("tall", argparse.Namespace)
        assert 1 <= call["a"].epochs <= call["p"].width <= 3
    (call, *_) = drawn({"a": "configs(of=argparse.Namespace, n=1)"}, examples=1)
    assert call["recipes"] == {"a": "config('argparse', n=1)"}


def test_a_field_of_which_nothing_is_known_is_told():
    with pytest.raises(UnsatisfiableConstraint, match="field thing"):
        drawn({"o": "configs(of=Opaque)"}, scope=SCOPE)
    with pytest.raises(UnsatisfiableConstraint, match="Missing"):
        drawn({"o": "configs(of=Missing)"}, scope=SCOPE)


def test_namespaces_are_read_by_attribute_and_by_key():
    made = config(lr=0.1, model=config(width=3))
    assert (made.lr, made["model"]["width"], made.model.width) == (0.1, 3, 3)
    assert ({**made.model}, made.get("no", 5), "lr" in made) == ({"width": 3}, 5, True)
    assert dict(made.model.items()) == {"width": 3}
    made["lr"] = 1
    assert made.lr == 1
    with pytest.raises(AttributeError):
        _ = made.missing
