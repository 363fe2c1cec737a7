import jax
import jax.numpy as jnp


@jax.jit
def clipped(gradient: jax.Array, limit: float = 1.0) -> jax.Array:
    """The gradient (n,), no longer than limit."""
    norm = jnp.linalg.norm(gradient)
    return jnp.where(norm > limit, gradient * (limit / jnp.maximum(norm, 1e-30)), gradient)
