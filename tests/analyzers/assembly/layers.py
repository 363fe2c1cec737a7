"""A handful of layers as they are known, written by hand."""

from analyzers.assembly.layer_tables import LayerApi, LayerParameter


def _int(name, default="", **more):
    return LayerParameter(name, ("int",), default, **{"low": 1, **more})


def _p(name, default):
    return LayerParameter(name, ("float",), default, low=0.0, high=1.0)


_INPLACE = LayerParameter("inplace", ("bool",), "False")
_EPS = LayerParameter("eps", ("float",), "1e-05", low=0.0)
_KNOWN = (
    LayerApi(
        "torch.nn.Conv2d",
        (
            _int("in_channels", tied=True),
            _int("out_channels"),
            LayerParameter("kernel_size", ("int", "ints"), low=1, length=2),
            LayerParameter("stride", ("int", "ints"), "1", low=1, length=2),
            LayerParameter("padding", ("int", "ints", "str"), "0", low=0, length=2),
            _int("groups", "1"),
            LayerParameter("padding_mode", ("str",), "'zeros'", choices=("'zeros'", "'reflect'")),
        ),
        "Applies a 2D convolution over an input signal composed of several input planes.",
        ("in_channels % groups == 0", "out_channels % groups == 0"),
        "torch.nn.Conv2d(4, 4, kernel_size=3)",
    ),
    LayerApi("torch.nn.ReLU", (_INPLACE,), "Applies the rectified linear unit function."),
    LayerApi("torch.nn.ReLU6", (_INPLACE,), "Applies the ReLU6 function element-wise."),
    LayerApi(
        "torch.nn.GELU",
        (LayerParameter("approximate", ("str",), "'none'", choices=("'none'", "'tanh'")),),
        "Applies the Gaussian Error Linear Units function.",
        keeps_shape=True,
    ),
    LayerApi(
        "torch.nn.Linear",
        (
            _int("in_features", tied=True),
            _int("out_features"),
            LayerParameter("bias", ("bool",), "True"),
        ),
        "Applies an affine linear transformation to the incoming data.",
        example="torch.nn.Linear(4, 3)",
    ),
    LayerApi("torch.nn.Dropout", (_p("p", "0.5"), _INPLACE), "Randomly zeroes some elements."),
    LayerApi("torch.nn.LayerNorm", (_int("normalized_shape", tied=True), _EPS), "Normalizes."),
    LayerApi("torch.nn.BatchNorm1d", (_int("num_features", tied=True), _EPS), "Normalizes."),
    LayerApi(
        "torch.nn.CrossEntropyLoss",
        (_p("label_smoothing", "0.0"), LayerParameter("reduction", ("str",), "'mean'")),
        "Computes the cross entropy loss between input logits and target.",
    ),
    LayerApi("torch.nn.MSELoss", (), "Measures the mean squared error."),
    LayerApi("torch.nn.Sequential", (), "A sequential container.", container=True),
)
APIS = {each.name: each for each in _KNOWN}
