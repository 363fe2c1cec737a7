"""Whitening of features, as in ZCA."""

import torch


#@arg(x): tensors(dtype=["float16", "float32", "float64"], shape=(ints(min=2, max=12), ints(min=1, max=6)), min=-1, max=1)
#@arg(eps): floats(min=0.001, max=0.1)
#@returns: tensors(shape="_ _")
def whiten(x, eps=1e-3):
    n = x.shape[0]
    y = x - x.mean(dim=0)
    covariance = (y.T @ y) / (n - 1)
    u, s, _ = torch.linalg.svd(covariance)
    scale = torch.diag(torch.rsqrt(s + eps))
    return y @ (u @ scale @ u.T)


def whitened_features(net, batch):
    with torch.no_grad():
        return whiten(net(batch).flatten(1))
