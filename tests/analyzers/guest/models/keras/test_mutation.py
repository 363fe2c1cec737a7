import os

import numpy
import pytest

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras

from analyzers.guest.models.keras.keras_mutation import apply_keras_mutations
from analyzers.guest.models.model_types import ModelUnderTest, Mutation
from analyzers.guest.models.mutation.mutation_grammar import (
    RULES,
    format_mutations,
    parse_mutations,
)
from analyzers.guest.models.mutation.new_layers import MutationInapplicable

pytestmark = pytest.mark.slow

layers = keras.layers


def drawn(*shape: int) -> numpy.ndarray:
    return numpy.random.default_rng(0).standard_normal(shape).astype("float32")


@pytest.fixture
def model() -> ModelUnderTest:
    keras.utils.set_random_seed(2)
    module = keras.Sequential(
        [
            keras.Input((8, 8, 4)),
            layers.Conv2D(4, 3, padding="same", activation="relu", name="one"),
            layers.Conv2D(4, 3, padding="same", name="two"),
            layers.BatchNormalization(name="norm"),
            layers.ReLU(name="relu"),
            layers.Flatten(name="flat"),
            layers.Dense(3, activation="tanh", name="head"),
        ]
    )
    return ModelUnderTest(module, (drawn(2, 8, 8, 4),), {}, "keras")


def output(model: ModelUnderTest) -> numpy.ndarray:
    return keras.ops.convert_to_numpy(model.module(*model.inputs, training=False))


MUTATIONS = """LR norm; LS one: two; LC norm; LA one: LayerNormalization() @5
LA two: Conv2D(4, 3, padding='same') @5; MLA two: ZeroPadding2D(1) > Conv2D(4, 3) @5
MLA one: Flatten() > Dropout(0.5) > Reshape((8, 8, 4)) @5; AFRm relu; AFRm one
AFRp head: Activation('gelu') @5; AFRp relu: Activation('tanh') @5; GF norm: gamma @5
GF one: kernel @5; WS two: kernel @5; NAI head: kernel @5; NEB one: kernel @5; NS two: kernel @5"""


def test_every_rule_makes_mutants_that_run_and_repeat(model) -> None:
    before, seen = output(model), {}
    for mutation in parse_mutations(MUTATIONS.replace("\n", "; ")):
        assert parse_mutations(format_mutations([mutation])) == [mutation]
        mutant = apply_keras_mutations(model, [mutation])
        numpy.testing.assert_array_equal(
            output(mutant), output(apply_keras_mutations(model, [mutation]))
        )
        seen.setdefault(mutation.rule, []).append(not numpy.array_equal(output(mutant), before))
    assert set(seen) == set(RULES)
    assert all(any(changed) for changed in seen.values())
    numpy.testing.assert_array_equal(output(model), before)


def test_no_mutation_keeps_the_weights(model) -> None:
    mutant = apply_keras_mutations(model, [Mutation("LC", "relu")])
    numpy.testing.assert_array_equal(output(mutant), output(model))


def test_activation_of_a_layer_is_removed(model) -> None:
    mutant = apply_keras_mutations(model, [Mutation("AFRm", "head")])
    numpy.testing.assert_allclose(numpy.tanh(output(mutant)), output(model), atol=1e-6)


def test_switched_layers_keep_their_weights(model) -> None:
    once = apply_keras_mutations(model, [Mutation("LS", "one", "two")])
    assert not numpy.array_equal(output(once), output(model))
    twice = apply_keras_mutations(once, [Mutation("LS", "one", "two")])
    numpy.testing.assert_allclose(output(twice), output(model), atol=1e-6)


def test_higher_orders_follow_one_another(model) -> None:
    line = "LA one: Dense(4) @5; GF head: kernel @7; LR norm"
    mutant = apply_keras_mutations(model, parse_mutations(line))
    names = [each.name for each in mutant.module.layers]
    assert "norm" not in names
    assert "one_la0" in names


@pytest.mark.parametrize(
    "line",
    ["LR flat", "LR nowhere", "LS one: head", "LA one: Dense(5) @1", "NS relu: kernel @1"],
)
def test_what_does_not_fit_is_inapplicable(model, line) -> None:
    with pytest.raises(MutationInapplicable):
        apply_keras_mutations(model, parse_mutations(line))


def test_model_with_branches_is_mutated() -> None:
    given = keras.Input((6,))
    left = layers.Dense(6, activation="relu", name="left")(given)
    module = keras.Model(given, layers.Add()([given, left]))
    model = ModelUnderTest(module, (drawn(2, 6),), {}, "keras")
    mutant = apply_keras_mutations(model, [Mutation("LR", "left")])
    numpy.testing.assert_allclose(output(mutant), 2 * model.inputs[0], rtol=1e-6)
