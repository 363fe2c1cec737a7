import jax
import jax.numpy as jnp


#@arg(features): ints(min=1, max=16)
#@arg(batch): ints(min=1, max=4)
#@arg(seed): ints(min=0, max=100)
#@returns: jax_arrays(dtype="float32")
def noisy(features, batch=2, seed=0):
    """Noise for the first half of the features, zeros for the rest: (batch, features)."""
    half = features // 2
    noise = jax.random.normal(jax.random.PRNGKey(seed), (batch, half))
    return jnp.concatenate([noise, jnp.zeros((batch, features - half))], axis=1)
