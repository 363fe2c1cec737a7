import jax.numpy as jnp

from linear import predict

if __name__ == "__main__":
    print(predict(jnp.ones(3), jnp.arange(12.0).reshape(4, 3)))
