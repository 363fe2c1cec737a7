"""NumPy, JAX and Keras: what they have, valid calls of it, and their values as text."""

import numpy
import pytest

from analyzers.guest.inputs.recipes import BadRecipe, evaluate, parse
from analyzers.guest.relations.libraries.array_library import is_unsafe
from analyzers.guest.relations.libraries.jax_library import Jax, translated
from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.libraries.numpy_library import Numpy
from analyzers.guest.relations.relation_types import CallSource, LiveCall
from analyzers.guest.relations.synthesis.call_templates import apply_template
from analyzers.guest.relations.synthesis.documented_templates import templates_in_documentation
from analyzers.guest.relations.synthesis.parameter_matching import assignment_template


class SingleCallModel:
    """Lends a single call."""

    def valid(self):
        (argument,) = (parse("numpy.array([[1.0, 2.0]], dtype=numpy.float32)"),)
        yield CallSource("numpy.sum", (argument,), (("axis", parse("1")),)), "here"


@pytest.fixture(scope="module")
def jax():
    return Jax(SingleCallModel())


@pytest.fixture(scope="module")
def np():
    return library("numpy")


@pytest.fixture(scope="module")
def keras():
    return library("keras")


def api_of(lib, name):
    return next(api for api in lib.apis() if api.name == name)


def again(lib, value):
    recipe = lib.recipe_of(value)
    return evaluate(parse(recipe.source()), lib.namespace)


def run(lib, call):
    arguments = [evaluate(item, lib.namespace) for item in call.arguments]
    keywords = {name: evaluate(item, lib.namespace) for name, item in call.keywords}
    return lib.function(call.api)(*arguments, **keywords)


ARRAYS = [
    numpy.array(1.5),
    numpy.array([1, 2, 3]),
    numpy.array([[True], [False]]),
    numpy.array([0.1, -0.0, numpy.nan, numpy.inf], dtype=numpy.float32),
    numpy.array([1 + 2j, 3j], dtype=numpy.complex64),
    numpy.array([2**63 - 1, -(2**63)]),
    numpy.zeros((0, 3), dtype=numpy.int8),
    numpy.zeros(0, dtype=numpy.float32),
    numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3)),
    numpy.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2),
    numpy.broadcast_to(numpy.array([[1.0], [2.0]]), (2, 4)),
    numpy.full((20, 20), 0.5),
    numpy.arange(1000),
]


@pytest.mark.parametrize("value", ARRAYS, ids=lambda value: f"{value.dtype}{value.shape}")
def test_arrays_of_numpy_are_said_and_copied_as_they_lie(np, value):
    for made in (again(np, value), np.copied(value)):
        assert made is not value
        assert made.dtype == value.dtype
        assert made.shape == value.shape
        assert made.tobytes() == value.tobytes()
        if value.size > 1:
            assert made.strides == value.strides


@pytest.mark.parametrize(
    "value",
    [numpy.array(["a"]), numpy.array([object()]), object(), len, numpy.random.rand(9, 9)],
    ids=["text", "object", "thing", "function", "large"],
)
def test_what_has_no_text_is_refused(np, value):
    with pytest.raises(BadRecipe):
        np.recipe_of(value)


def test_scalars_dtypes_and_containers_have_text(np):
    for value in (numpy.float32(0.1), numpy.int8(-3), (1, [2.5, "a"], {"k": None}), 1 + 2j):
        assert again(np, value) == value
    assert again(np, numpy.dtype("int16")) is numpy.int16
    assert again(np, slice(1, None, 2)) == slice(1, None, 2)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32", "bool", "complex64"])
def test_arrays_of_jax_come_back(jax, dtype):
    import jax.numpy as jnp

    value = jnp.array([[1, 0], [0, 1]], dtype=dtype)
    made = again(jax, value)
    assert made.dtype == value.dtype
    assert bool((made == value).all())
    assert jax.plain(value)[:2] == (dtype, (2, 2))
    assert jax.copied([value])[0] is value


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64", "bool"])
def test_tensors_of_keras_come_back(keras, dtype):
    import keras as k

    value = k.ops.convert_to_tensor([[1, 0], [0, 1]], dtype=dtype)
    made = again(keras, value)
    assert made.dtype == value.dtype
    assert bool((made == value).all())
    assert keras.plain(value)[:2] == (dtype, (2, 2))
    assert keras.copied(value) is not value


@pytest.mark.parametrize(("name", "least"), [("numpy", 400), ("jax", 500), ("keras", 300)])
def test_many_functions_are_known_with_their_parameters(name, least, request):
    lib = request.getfixturevalue("np" if name == "numpy" else name)
    apis = lib.apis()
    assert len(apis) >= least
    assert [api.name for api in apis] == sorted({api.name for api in apis})
    assert sum(bool(api.parameters) for api in apis) >= 0.9 * least
    for api in apis[::25]:
        assert lib.named(lib.function(api.name)) == api.name
    with pytest.raises(LookupError):
        lib.function(f"{name}.nothing")


def test_what_touches_files_or_settings_is_no_api(np):
    names = {api.name for api in np.apis()}
    assert names.isdisjoint({"numpy.save", "numpy.loadtxt", "numpy.seterr", "numpy.ndarray.tofile"})
    assert is_unsafe("numpy.set_printoptions")
    assert not is_unsafe("numpy.setdiff1d")


@pytest.mark.parametrize("name", ["numpy.add", "numpy.linalg.det", "numpy.einsum", "numpy.pad"])
def test_calls_of_numpy_are_valid(np, name):
    calls = [call for call, _ in np.valid_for(api_of(np, name)) if call.api == name]
    assert len(calls) >= 3
    for call in calls:
        run(np, call)


def test_examples_are_traced_and_open_no_files(np):
    from analyzers.guest.relations.libraries.array_calls import ExampleTracer, calls_of

    doc = """
    >>> import numpy as np
    >>> open("x", "w")
    >>> import os
    >>> a = np.linalg.inv(np.eye(2)) + os.getpid()
    >>> np.add.reduce([1, 2])
    >>> np.sum([[1, 2]], axis=0, dtype=np.float32)
    array([1, 2])
    >>> np.reshape([1, 2], (7,))
    """
    found = [
        call.source()
        for call in calls_of(doc, {"np": numpy}, ExampleTracer(np.named, np.recipe_of))
    ]
    assert found == [
        "numpy.eye(2)",
        "numpy.linalg.inv(numpy.array([[1.0, 0.0], [0.0, 1.0]]))",
        "numpy.sum([[1, 2]], axis=0, dtype=numpy.float32)",
    ]


def test_numpy_lends_its_calls(jax):
    found = [
        call for call, origin in jax.valid_for(api_of(jax, "jax.numpy.sum")) if origin == "lent"
    ]
    assert found[0].source() == (
        "jax.numpy.sum(jax.numpy.array([[1.0, 2.0]], dtype=jax.numpy.float32), axis=1)"
    )
    assert run(jax, found[0]).tolist() == [3.0]
    assert translated(CallSource("numpy.f", (parse("(1, numpy.int8)"),)), "g").source() == (
        "g((1, jax.numpy.int8))"
    )


@pytest.mark.parametrize("name", ["keras.ops.add", "keras.ops.relu", "keras.ops.reshape"])
def test_calls_of_keras_are_valid(keras, name):
    calls = [call for call, _ in keras.valid_for(api_of(keras, name)) if call.api == name]
    assert calls
    for call in calls:
        run(keras, call)


def test_one_function_becomes_another(np):
    source, target = api_of(np, "numpy.sum"), api_of(np, "numpy.ndarray.sum")
    template = assignment_template(source, target)
    x = numpy.arange(6.0).reshape(2, 3)
    live = LiveCall(source.name, numpy.sum, [x], {"axis": 1})
    made = apply_template(template, source, live, np)
    assert made.run().tolist() == live.run().tolist()


def test_documents_of_numpy_tell_templates(np):
    every = [templates_in_documentation(api, np.apis()) for api in np.apis()[::4]]
    assert sum(map(bool, every)) >= 3


def test_versions_and_names(np, jax, keras):
    assert isinstance(np, Numpy)
    assert np.version == numpy.__version__
    assert {lib.name for lib in (np, jax, keras)} == {"numpy", "jax", "keras"}
