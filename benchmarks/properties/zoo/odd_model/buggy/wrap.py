import torch
from assayer_annotations import arg, modules, returns, tensors


@arg("net", modules(in_="b 6", out="b 3"))
@arg("rows", tensors(dtype="float32", shape=("b", 6), min=-2, max=2))
@returns(tensors(dtype="float32", shape="b 3", min=0, max=1))
def predict_proba(net, rows):
    """Probabilities of the three classes for each row, as scikit-learn calls it."""
    with torch.no_grad():
        return net(rows).softmax(dim=2)
