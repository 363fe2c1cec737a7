import jax
import jax.numpy as jnp


def one(weights: jax.Array, row: jax.Array) -> jax.Array:
    return jnp.dot(weights, row)


def predict(weights: jax.Array, rows: jax.Array) -> jax.Array:
    """weights (d,), rows (n, d) -> (n,)"""
    if weights.ndim != 1 or rows.ndim != 2 or rows.shape[1] != weights.shape[0]:
        raise ValueError("weights (d,) and rows (n, d) are needed")
    return jax.vmap(one, in_axes=(0, 0))(weights, rows)
