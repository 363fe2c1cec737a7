class Tracker:
    """Running means of metrics."""

    #@cc_example([["loss"]])
    #@cc_example([[]])
    def __init__(self, names):
        self.values = {name: [] for name in names}

    #@arg(metrics): dicts(keys=froms(["loss", "accuracy", "f1"]), values=floats(min=0, max=10), min_len=0, max_len=3)
    #@ensure(set(metrics) <= set(result))
    def update(self, metrics):
        """Take the metrics of one step in; returns the means so far.  New names are welcome."""
        for name, value in metrics.items():
            self.values.setdefault(name, []).append(value)
        return {name: sum(seen) / len(seen) for name, seen in self.values.items() if seen}
