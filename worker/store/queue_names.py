"""The names of queues and of who takes from them."""

QUEUES = ("cpu", "gpu")
"""Where a job can wait; a check begins in the first."""

PUBLISH = "publish"
"""What a worker is told to take that publishes and examines nothing."""

SCHEDULER = "beat"
"""What the clock calls itself among the workers."""
