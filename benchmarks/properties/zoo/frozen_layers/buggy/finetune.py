from torch import nn


#@generator
#@exclude
#@arg(depth): ints(min=1, max=4)
#@arg(width): ints(min=1, max=8)
def stacks(depth, width):
    return nn.Sequential(*(nn.Linear(width, width) for _ in range(depth)))


#@arg(net): objs(stacks)
#@arg(count): ints(min=0, max=4)
#@require(count <= len(net))
#@ensure(sum(all(not p.requires_grad for p in layer.parameters()) for layer in net) == count)
def freeze_first(net, count):
    """Keep the first layers as they are; how many parameters are left to train."""
    for place in range(1, count + 1):
        net[place].requires_grad_(False)
    return sum(p.numel() for p in net.parameters() if p.requires_grad)
