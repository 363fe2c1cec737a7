"""Ways to run a torch model that compute the same mathematics."""
