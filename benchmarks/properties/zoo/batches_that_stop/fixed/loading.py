import torch


#@arg(examples): tensors(dtype="float32", shape=(ints(min=0, max=20), "f"), min=-1, max=1)
#@arg(size): ints(min=1, max=8)
def batches(examples, size):
    """The examples in batches of at most size, the last one smaller."""
    place = 0
    while True:
        batch = examples[place : place + size]
        if not len(batch):
            return
        yield batch
        place += size
