import math


#@arg(step): ints(min=0, max=1000)
#@arg(total): ints(min=1, max=1000)
#@arg(warmup): ints(min=0, max=1000)
#@arg(peak): floats(min=1e-5, max=1)
#@require(warmup <= total)
#@require(step <= total)
#@ensure(0 <= result <= peak * 1.0001)
def learning_rate(step, total, warmup=0, peak=1e-3):
    """Linear warm-up, then half a cosine down to 0 at the last step."""
    if step < warmup:
        return peak * step / warmup
    done = (step - warmup) / max(1, total - warmup)
    return 0.5 * peak * (1 + math.cos(math.pi * done))
