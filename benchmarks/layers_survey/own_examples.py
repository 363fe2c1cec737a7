"""Calls of layers for which torch's own test data has none, or none that tells enough.

The second item are the sources of what the layer is called with.
"""

from __future__ import annotations

_IMAGE = ("torch.randn((2, 4, 12, 12))",)
_VOLUME = ("torch.randn((2, 4, 6, 6, 6))",)
_LINE = ("torch.randn((2, 4, 12))",)
_ROWS = ("torch.randn((4, 6))",)
_PAIR = ("torch.randn((4, 6))", "torch.randn((4, 6))")
_SEQUENCE = ("torch.randn((5, 2, 8))",)

OPTIMIZER: tuple[dict[str, str], tuple[str, ...]] = (
    {"params": "[torch.ones((2, 2), requires_grad=True)]"},
    (),
)
CALLS: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "AdaptiveLogSoftmaxWithLoss": (
        {"in_features": "8", "n_classes": "10", "cutoffs": "[3, 6]"},
        ("torch.randn((4, 8))", "torch.tensor([0, 4, 7, 9])"),
    ),
    "AlphaDropout": ({}, _ROWS),
    "ChannelShuffle": ({"groups": "2"}, _IMAGE),
    "CosineSimilarity": ({}, _PAIR),
    "CosineEmbeddingLoss": ({}, (*_PAIR, "torch.tensor([1, -1, 1, -1])")),
    "CrossMapLRN2d": ({"size": "3"}, _IMAGE),
    "Dropout": ({}, _ROWS),
    "Dropout1d": ({}, _LINE),
    "Dropout2d": ({}, _IMAGE),
    "Dropout3d": ({}, _VOLUME),
    "EmbeddingBag": (
        {"num_embeddings": "10", "embedding_dim": "3"},
        ("torch.tensor([[1, 2, 4, 5], [4, 3, 2, 9]])",),
    ),
    "FeatureAlphaDropout": ({}, _IMAGE),
    "Flatten": ({}, _IMAGE),
    "Fold": (
        {"output_size": "(8, 8)", "kernel_size": "2"},
        ("torch.randn((2, 12, 49))",),
    ),
    "FractionalMaxPool2d": ({"kernel_size": "2", "output_size": "5"}, _IMAGE),
    "FractionalMaxPool3d": ({"kernel_size": "2", "output_size": "3"}, _VOLUME),
    "GaussianNLLLoss": ({}, (*_PAIR, "torch.rand((4, 6)) + 0.1")),
    "GroupNorm": ({"num_groups": "2", "num_channels": "4"}, _IMAGE),
    "Hardsigmoid": ({}, _ROWS),
    "Identity": ({}, _ROWS),
    "LSTM": ({"input_size": "8", "hidden_size": "6", "num_layers": "2"}, _SEQUENCE),
    "GRU": ({"input_size": "8", "hidden_size": "6", "num_layers": "2"}, _SEQUENCE),
    "RNN": ({"input_size": "8", "hidden_size": "6", "num_layers": "2"}, _SEQUENCE),
    "LSTMCell": ({"input_size": "8", "hidden_size": "6"}, ("torch.randn((4, 8))",)),
    "GRUCell": ({"input_size": "8", "hidden_size": "6"}, ("torch.randn((4, 8))",)),
    "RNNCell": ({"input_size": "8", "hidden_size": "6"}, ("torch.randn((4, 8))",)),
    "LayerNorm": ({"normalized_shape": "6"}, _ROWS),
    "RMSNorm": ({"normalized_shape": "6"}, _ROWS),
    "Linear": ({"in_features": "6", "out_features": "5"}, _ROWS),
    "Bilinear": (
        {"in1_features": "6", "in2_features": "6", "out_features": "5"},
        _PAIR,
    ),
    "CrossEntropyLoss": ({}, ("torch.randn((4, 6))", "torch.tensor([1, 0, 5, 2])")),
    "LinearCrossEntropyLoss": (
        {"in_features": "6", "num_classes": "5"},
        ("torch.randn((4, 6))", "torch.tensor([1, 0, 4, 2])"),
    ),
    "MaxPool1d": ({"kernel_size": "3"}, _LINE),
    "MaxPool2d": ({"kernel_size": "3"}, _IMAGE),
    "MaxPool3d": ({"kernel_size": "3"}, _VOLUME),
    "AvgPool1d": ({"kernel_size": "3"}, _LINE),
    "AvgPool2d": ({"kernel_size": "3"}, _IMAGE),
    "AvgPool3d": ({"kernel_size": "3"}, _VOLUME),
    "LPPool1d": ({"norm_type": "2", "kernel_size": "3"}, _LINE),
    "LPPool2d": ({"norm_type": "2", "kernel_size": "3"}, _IMAGE),
    "LPPool3d": ({"norm_type": "2", "kernel_size": "3"}, _VOLUME),
    "LazyBatchNorm1d": ({}, _LINE),
    "LazyBatchNorm2d": ({}, _IMAGE),
    "LazyBatchNorm3d": ({}, _VOLUME),
    "LazyInstanceNorm1d": ({"track_running_stats": "True"}, _LINE),
    "LazyInstanceNorm2d": ({"track_running_stats": "True"}, _IMAGE),
    "LazyInstanceNorm3d": ({"track_running_stats": "True"}, _VOLUME),
    "InstanceNorm1d": ({"num_features": "4", "track_running_stats": "True"}, _LINE),
    "InstanceNorm2d": ({"num_features": "4", "track_running_stats": "True"}, _IMAGE),
    "InstanceNorm3d": ({"num_features": "4", "track_running_stats": "True"}, _VOLUME),
    "LazyConv1d": ({"out_channels": "4", "kernel_size": "3"}, _LINE),
    "LazyConv2d": ({"out_channels": "4", "kernel_size": "3"}, _IMAGE),
    "LazyConv3d": ({"out_channels": "4", "kernel_size": "2"}, _VOLUME),
    "LazyConvTranspose1d": ({"out_channels": "4", "kernel_size": "3"}, _LINE),
    "LazyConvTranspose2d": ({"out_channels": "4", "kernel_size": "3"}, _IMAGE),
    "LazyConvTranspose3d": ({"out_channels": "4", "kernel_size": "2"}, _VOLUME),
    "LazyLinear": ({"out_features": "5"}, _ROWS),
    "MaxUnpool1d": (
        {"kernel_size": "2"},
        ("torch.randn((1, 2, 3))", "torch.tensor([[[0, 2, 4], [1, 3, 5]]])"),
    ),
    "MaxUnpool2d": (
        {"kernel_size": "2"},
        ("torch.randn((1, 1, 2, 2))", "torch.tensor([[[[0, 2], [8, 10]]]])"),
    ),
    "MaxUnpool3d": (
        {"kernel_size": "2"},
        ("torch.randn((1, 1, 1, 1, 2))", "torch.tensor([[[[[0, 2]]]]])"),
    ),
    "MultiheadAttention": ({"embed_dim": "8", "num_heads": "2"}, _SEQUENCE * 3),
    "NLLLoss2d": (
        {},
        ("torch.randn((2, 3, 4, 4)).log_softmax(1)", "torch.randint(0, 3, (2, 4, 4))"),
    ),
    "PairwiseDistance": ({}, _PAIR),
    "PixelShuffle": ({"upscale_factor": "2"}, _IMAGE),
    "PixelUnshuffle": ({"downscale_factor": "2"}, _IMAGE),
    "RReLU": ({}, _ROWS),
    "SoftMarginLoss": ({}, ("torch.randn((4, 6))", "torch.ones((4, 6))")),
    "SyncBatchNorm": ({"num_features": "4"}, _IMAGE),
    "Transformer": (
        {
            "d_model": "8",
            "nhead": "2",
            "num_encoder_layers": "1",
            "num_decoder_layers": "1",
            "dim_feedforward": "8",
        },
        _SEQUENCE * 2,
    ),
    "TransformerDecoder": (
        {
            "decoder_layer": "torch.nn.TransformerDecoderLayer(8, 2, 8)",
            "num_layers": "1",
        },
        _SEQUENCE * 2,
    ),
    "TransformerDecoderLayer": (
        {"d_model": "8", "nhead": "2", "dim_feedforward": "8"},
        _SEQUENCE * 2,
    ),
    "TransformerEncoder": (
        {
            "encoder_layer": "torch.nn.TransformerEncoderLayer(8, 2, 8)",
            "num_layers": "1",
        },
        _SEQUENCE,
    ),
    "TransformerEncoderLayer": (
        {"d_model": "8", "nhead": "2", "dim_feedforward": "8"},
        _SEQUENCE,
    ),
    "TripletMarginLoss": ({}, (*_PAIR, "torch.randn((4, 6))")),
    "TripletMarginWithDistanceLoss": ({}, (*_PAIR, "torch.randn((4, 6))")),
    "Unflatten": ({"dim": "1", "unflattened_size": "(2, 3)"}, _ROWS),
    "Unfold": ({"kernel_size": "2"}, _IMAGE),
    "Upsample": ({"scale_factor": "2"}, _IMAGE),
    "UpsamplingBilinear2d": ({"scale_factor": "2"}, _IMAGE),
    "UpsamplingNearest2d": ({"scale_factor": "2"}, _IMAGE),
}
