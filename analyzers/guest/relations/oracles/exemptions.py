"""APIs that an oracle says nothing about, each with the reason."""

from __future__ import annotations

ALL = "*"
"""Every oracle that compares values."""

TIES = "ties"
"""Every oracle, but only on inputs with equal elements."""

_MEMORY = "it reads or tells the memory behind the elements, of which strides are a part"
_UNIQUE = "documented: the vectors are unique only up to a factor, and their order is open"
_LAST = "documented: which element is written last is open where indices repeat"
_RANGE = "the scale is that of all rows together"
_TRIANGLE = "documented: it reads one triangle of a matrix that must be symmetric"
_PADDING = "documented: padding has no gradient, and frequent words may have a share of theirs"
_STRAIGHT = "rounding is passed straight through, for training to go on"
_NORMALIZED = "documented: of logarithms of probabilities, which steps off them are not"
_STATISTICS = "documented: it updates the running statistics that it is given"
_SINGULAR = "it is the inverse only of what has one, to the last digit"
_PLACES = "the reference takes the condition first, the method takes it second"
_ORDER = "documented: the order of equal elements is open unless stable=True"
_PARTED = "documented: the order within the two parts is open"
_LAID_OUT = "documented: order='A' and 'K' are as the elements lie in memory"

_NAMES: tuple[tuple[str, str, str], ...] = (
    (
        ALL,
        _MEMORY,
        "as_strided as_strided_ as_strided_copy as_strided_scatter stride is_contiguous "
        "dim_order storage_offset data_ptr resize_ resize_as_ set_ is_conj is_neg isfortran",
    ),
    (
        "arguments",
        _STATISTICS,
        "batch_norm instance_norm native_batch_norm batch_norm_update_stats "
        "batch_norm_gather_stats batch_norm_gather_stats_with_counts",
    ),
    ("vmap", _RANGE, "quantize_per_tensor_dynamic"),
    (ALL, _UNIQUE, "eig eigh eigvals svd lobpcg"),
    ("value", _SINGULAR, "pinv pinverse"),
    ("reference", _PLACES, "torch.Tensor.where"),
    (ALL, _PARTED, "partition argpartition"),
    (
        "strides",
        _LAID_OUT,
        "numpy.ravel numpy.reshape numpy.ndarray.ravel numpy.ndarray.flatten numpy.ndarray.reshape",
    ),
    (TIES, _ORDER, "argsort"),
    (
        TIES,
        _LAST,
        "max_unpool1d max_unpool2d max_unpool3d scatter scatter_ index_copy index_copy_ "
        "index_put index_put_ put put_",
    ),
    (
        "gradient",
        _TRIANGLE,
        "pinv matrix_rank cholesky cholesky_ex eigvalsh ldl_factor ldl_factor_ex "
        "cholesky_inverse cholesky_solve",
    ),
    ("gradient", _PADDING, "embedding embedding_bag Embedding EmbeddingBag"),
    (
        "gradient",
        _STRAIGHT,
        "fake_quantize_per_tensor_affine fake_quantize_per_channel_affine "
        "fused_moving_avg_obs_fake_quant",
    ),
    ("gradient", _NORMALIZED, "ctc_loss CTCLoss"),
)
"""Oracle, why, and names or last names of APIs: data to be read and judged by people."""

EXEMPT = tuple((oracle, name, why) for oracle, why, names in _NAMES for name in names.split())

_KEYS: frozenset[tuple[str, str]] = frozenset((oracle, name) for oracle, name, _ in EXEMPT)


def is_exempt(oracle: str, api: str) -> bool:
    """Return whether an oracle says nothing about an API."""
    name = api.rsplit(".", 1)[-1]
    return (oracle, name) in _KEYS or (oracle, api) in _KEYS
