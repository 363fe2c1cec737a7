import torch


#@arg(optimizer): optimizers("adam")
#@arg(patience): ints(min=0, max=20)
#@arg(factor): floats(min=0.05, max=0.9)
def scheduler(optimizer, patience=5, factor=0.1):
    """Lower the learning rate when the loss no longer falls."""
    return torch.optim.lr_scheduler.ReduceLROnPlateau(
        optimizer, mode="min", factor=factor, patience=patience    )
