import torch

from schedule import learning_rate


def optimizer_for(model, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.0)
    warmup = steps // 10
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: learning_rate(min(step, steps), steps, warmup)
    )
    return optimizer, rate
