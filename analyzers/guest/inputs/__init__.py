"""TODO: analyzers/guest/inputs."""
