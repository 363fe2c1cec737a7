"""Files of both styles taken apart, and put together again."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzers.assembly.disassembly.blocks import DisassembledModel, UnreadableError, assembled
from analyzers.assembly.disassembly.disassembler import disassembled

ZOO = Path(__file__).parents[4] / "benchmarks" / "models" / "zoo"
FILES = sorted(path for path in ZOO.glob("*.py") if path.name != "__init__.py")

CLASS = '''"""A größe."""
import torch
import torch.nn.functional as F
from torch import nn as layers
from torch.nn import BatchNorm2d as Norm


class Net(layers.Module):
    def __init__(self, width=4):
        super().__init__()
        self.conv = layers.Conv2d(
            3,
            width,  # the width
            kernel_size=3,
        )
        self.norm = Norm(width)
        self.tail = layers.Sequential(layers.ReLU(), layers.Dropout(0.1))
        self.rest = layers.ModuleList([layers.Tanh(), layers.Linear(width, 2)])

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)), inplace=True)
        x = self.tail(x)
        for layer in self.rest:
            x = layer(x)
        return x
'''

STEPS = """import torch
import torch.nn as nn


def build(depth):
    layers = [nn.Flatten()]
    layers.append(nn.Linear(8, 8))
    for _ in range(depth):
        layers += [nn.Linear(8, 8), nn.ReLU()]
    return nn.Sequential(*layers)


model = build(2)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    optimizer.zero_grad()
    loss = criterion(model(torch.rand(4, 8)), torch.tensor([0, 1, 2, 3]))
    loss.backward()
    optimizer.step()
with torch.no_grad():
    print(model(torch.rand(4, 8)))
"""


def only(text: str) -> DisassembledModel:
    [it] = disassembled(text)
    return it


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_model_file_comes_back_byte_by_byte(path: Path) -> None:
    text = path.read_text()
    for each in disassembled(text):
        assert assembled(each.template, each.blocks) == text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_model_file_without_any_of_its_blocks_can_be_parsed(path: Path) -> None:
    for each in disassembled(path.read_text()):
        bare = assembled(each.template, ())
        ast.parse(bare)
        assert bare.count("\n") == each.template.source.count("\n")
        for left_out in each.blocks:
            ast.parse(assembled(each.template, [b for b in each.blocks if b is not left_out]))


def test_the_zoo_is_there() -> None:
    assert len(FILES) == 10


def test_layers_of_a_class_are_named_through_its_imports() -> None:
    assert [block.api.removeprefix("torch.nn.") for block in only(CLASS).blocks] == [
        "Conv2d",
        "BatchNorm2d",
        "ReLU",
        "Dropout",
        "Tanh",
        "Linear",
        "functional.relu",
    ]


def test_arguments_are_source_with_the_names_that_are_given() -> None:
    conv = only(CLASS).blocks[0]
    assert [(each.name, each.value) for each in conv.arguments] == [
        ("", "3"),
        ("", "width"),
        ("kernel_size", "3"),
    ]
    assert (conv.name, conv.line, conv.end_line, conv.uses) == ("self.conv", 11, 15, (21,))


def test_what_a_function_is_fed_belongs_to_the_template() -> None:
    relu = only(CLASS).blocks[-1]
    assert relu.fed == "self.norm(self.conv(x))"
    assert relu.pieces == ("F.relu(", ", inplace=True)")


def test_members_are_used_where_their_holder_is() -> None:
    dropout = only(CLASS).blocks[3]
    assert (dropout.name, dropout.uses) == ("self.tail", (22,))


def test_a_layer_left_out_passes_on_what_it_is_fed() -> None:
    it = only(CLASS)
    bare = assembled(it.template, [block for block in it.blocks if block.slot != 1])
    assert "        pass\n" in bare
    assert "F.relu((self.conv(x)), inplace=True)" in bare


def test_the_first_and_the_last_layer_are_not_hidden() -> None:
    blocks = only(CLASS).blocks
    assert [block.slot for block in blocks if not block.hidden] == [0, 5]


def test_layers_built_step_by_step_are_found() -> None:
    build, module = disassembled(STEPS)
    assert (build.name, build.style) == ("build", "function")
    assert [block.line for block in build.blocks] == [6, 7, 9, 9]
    assert (module.name, [block.role for block in module.blocks]) == ("<module>", ["loss"])


def test_parts_of_training_code_are_told_apart() -> None:
    parts = disassembled(STEPS)[0].template.parts
    assert [(part.kind, part.line, part.end_line) for part in parts] == [
        ("loss", 14, 14),
        ("optimizer", 15, 15),
        ("loop", 16, 20),
        ("evaluation", 21, 22),
    ]


def test_keras_layers_called_as_they_are_made_are_found() -> None:
    text = (
        "from tensorflow.keras import layers\n\n\n"
        "def build(x):\n    x = layers.Dense(8)(x)\n    return layers.ReLU()(x)\n"
    )
    it = only(text)
    assert [block.api for block in it.blocks] == ["keras.layers.Dense", "keras.layers.ReLU"]
    assert assembled(it.template, ()).endswith("    x = (x)\n    return (x)\n")


def test_layers_are_spelled_with_the_imports_of_the_file() -> None:
    assert only(CLASS).template.spelled("torch.nn.GELU") == "layers.GELU"
    local = "def f():\n    from torch import nn\n    return nn.ReLU()\n"
    assert only(local).template.spelled("torch.nn.GELU") == '__import__("torch").nn.GELU'


def test_names_that_are_not_imported_are_no_layers() -> None:
    assert disassembled("import torch\n\n\nclass nn: ...\n\n\nx = nn.Linear(2, 2)\n") == []


def test_a_text_that_is_not_python_is_refused() -> None:
    with pytest.raises(UnreadableError):
        disassembled("import torch\ndef f(:\n")


def test_windows_line_ends_survive() -> None:
    text = CLASS.replace("\n", "\r\n")
    it = only(text)
    assert assembled(it.template, it.blocks) == text
    assert it.blocks[0].line == 11
