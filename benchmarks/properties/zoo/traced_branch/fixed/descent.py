import jax
import jax.numpy as jnp

from clip import clipped


def descend(start, steps=3):
    place = start
    for _ in range(steps):
        place = place - 0.1 * clipped(jax.grad(lambda x: (x**2).sum())(place), 0.5)
    return place


if __name__ == "__main__":
    print(descend(jnp.ones(4)))
