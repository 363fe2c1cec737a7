"""Ten small models, each as an author would write it in one file.

Every module has ``build()``, which makes the model at a small size, ``inputs()``, which gives
the tuple of tensors that its ``forward`` takes, and trains it for a few steps when it is run.
"""

MODELS = (
    "lenet",
    "alexnet",
    "squeezenet",
    "mobilenet",
    "resnet18",
    "googlenet",
    "vgg19",
    "pointnet",
    "lstm",
    "transformer",
)
