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

EXEMPT: tuple[tuple[str, str, str], ...] = (
    (ALL, "as_strided", _MEMORY),
    (ALL, "as_strided_", _MEMORY),
    (ALL, "as_strided_copy", _MEMORY),
    (ALL, "as_strided_scatter", _MEMORY),
    (ALL, "stride", _MEMORY),
    (ALL, "is_contiguous", _MEMORY),
    (ALL, "dim_order", _MEMORY),
    (ALL, "storage_offset", _MEMORY),
    (ALL, "data_ptr", _MEMORY),
    (ALL, "resize_", _MEMORY),
    (ALL, "resize_as_", _MEMORY),
    (ALL, "set_", _MEMORY),
    ("arguments", "batch_norm", _STATISTICS),
    ("arguments", "instance_norm", _STATISTICS),
    ("arguments", "native_batch_norm", _STATISTICS),
    ("arguments", "batch_norm_update_stats", _STATISTICS),
    ("arguments", "batch_norm_gather_stats", _STATISTICS),
    ("arguments", "batch_norm_gather_stats_with_counts", _STATISTICS),
    (ALL, "is_conj", _MEMORY),
    (ALL, "is_neg", _MEMORY),
    ("vmap", "quantize_per_tensor_dynamic", _RANGE),
    (ALL, "eig", _UNIQUE),
    (ALL, "eigh", _UNIQUE),
    (ALL, "eigvals", _UNIQUE),
    (ALL, "svd", _UNIQUE),
    (ALL, "lobpcg", _UNIQUE),
    ("value", "pinv", _SINGULAR),
    ("value", "pinverse", _SINGULAR),
    ("reference", "torch.Tensor.where", _PLACES),
    (ALL, "partition", _PARTED),
    (ALL, "argpartition", _PARTED),
    (ALL, "isfortran", _MEMORY),
    ("strides", "numpy.ravel", _LAID_OUT),
    ("strides", "numpy.reshape", _LAID_OUT),
    ("strides", "numpy.ndarray.ravel", _LAID_OUT),
    ("strides", "numpy.ndarray.flatten", _LAID_OUT),
    ("strides", "numpy.ndarray.reshape", _LAID_OUT),
    (TIES, "argsort", _ORDER),
    (TIES, "max_unpool1d", _LAST),
    (TIES, "max_unpool2d", _LAST),
    (TIES, "max_unpool3d", _LAST),
    (TIES, "scatter", _LAST),
    (TIES, "scatter_", _LAST),
    (TIES, "index_copy", _LAST),
    (TIES, "index_copy_", _LAST),
    (TIES, "index_put", _LAST),
    (TIES, "index_put_", _LAST),
    (TIES, "put", _LAST),
    (TIES, "put_", _LAST),
    ("gradient", "pinv", _TRIANGLE),
    ("gradient", "matrix_rank", _TRIANGLE),
    ("gradient", "cholesky", _TRIANGLE),
    ("gradient", "cholesky_ex", _TRIANGLE),
    ("gradient", "eigvalsh", _TRIANGLE),
    ("gradient", "ldl_factor", _TRIANGLE),
    ("gradient", "ldl_factor_ex", _TRIANGLE),
    ("gradient", "cholesky_inverse", _TRIANGLE),
    ("gradient", "cholesky_solve", _TRIANGLE),
    ("gradient", "embedding", _PADDING),
    ("gradient", "embedding_bag", _PADDING),
    ("gradient", "Embedding", _PADDING),
    ("gradient", "EmbeddingBag", _PADDING),
    ("gradient", "fake_quantize_per_tensor_affine", _STRAIGHT),
    ("gradient", "fake_quantize_per_channel_affine", _STRAIGHT),
    ("gradient", "fused_moving_avg_obs_fake_quant", _STRAIGHT),
    ("gradient", "ctc_loss", _NORMALIZED),
    ("gradient", "CTCLoss", _NORMALIZED),
)
"""Oracle, name or last name of the API, and why: data to be read and judged by people."""

_KEYS: frozenset[tuple[str, str]] = frozenset((oracle, name) for oracle, name, _ in EXEMPT)


def is_exempt(oracle: str, api: str) -> bool:
    """Return whether an oracle says nothing about an API."""
    name = api.rsplit(".", 1)[-1]
    return (oracle, name) in _KEYS or (oracle, api) in _KEYS
