import os
import sys

import numpy
import pytest

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras

from analyzers.guest.models.executions.execution_registry import execution_of
from analyzers.guest.models.keras.serialized_model import (
    constructor_arguments,
    record_constructor_arguments,
    serialize_model,
)
from analyzers.guest.models.model_types import ModelUnderTest, Unsupported

pytestmark = pytest.mark.slow

SOURCE = """\
import keras


class Wide(keras.Model):
    def __init__(self, width=4, power=1, *, name=None, **more):
        super().__init__(name=name)
        self.dense = keras.layers.Dense(width)
        self.power = power

    def call(self, x):
        return self.dense(x) ** self.power


class Told(Wide):
    def get_config(self):
        return {"width": 5}
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "wide_models.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(keras.Model, "__new__", keras.Model.__new__)
    sys.modules.pop("wide_models", None)
    import wide_models  # type: ignore[import-not-found]

    return wide_models


def model_of(module) -> ModelUnderTest:
    given = numpy.ones((2, 3), "float32")
    module(given)
    return ModelUnderTest(module, (given,), {}, "keras")


def test_what_a_model_is_made_with_is_kept(project):
    record_constructor_arguments()
    record_constructor_arguments()
    assert constructor_arguments(project.Wide(7)) == {"width": 7, "power": 1}
    assert constructor_arguments(project.Wide(width=2, name="one", power=3)) == {
        "width": 2,
        "power": 3,
    }
    assert constructor_arguments(project.Told(2)) is None
    with pytest.raises(Unsupported, match="width, a object"):
        constructor_arguments(_unbuilt(project.Wide))


def _unbuilt(kind):
    made = kind.__new__(kind, object())
    made.__init__(3)
    return made


def test_model_is_made_again_with_its_own_arguments(project):
    record_constructor_arguments()
    model = model_of(project.Wide(6, power=2))
    assert serialize_model(model).config["config"]["width"] == 6
    wide = execution_of("float64", model).prepared(model)(*model.inputs)
    numpy.testing.assert_allclose(wide, model.module(*model.inputs).detach(), rtol=1e-5)


def test_model_that_its_configuration_does_not_tell_is_left_out(project):
    model = model_of(project.Wide(4, power=2))
    with pytest.raises(Unsupported, match="gives something else"):
        execution_of("float64", model).prepared(model)
