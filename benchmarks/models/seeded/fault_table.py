"""The faults, chosen before any of them was run: layers times executions times mistakes."""

from __future__ import annotations

from benchmarks.models.seeded import graphs as g
from benchmarks.models.seeded import kernels as k
from benchmarks.models.seeded import lowerings as low
from benchmarks.models.seeded.seeded_fault import Fault

_CONV, _MAX, _BATCH = (
    "convolution.default",
    "max_pool2d_with_indices.default",
    "native_batch_norm.default",
)
_LAYER, _SOFTMAX = "native_layer_norm.default", "_softmax.default"
_SCORES, _WEIGHTS = "blocks.0.attention.matmul", "blocks.0.attention.softmax"

_OFF = (
    ("lenet", "conv1", _CONV, k.border_replicated),
    ("lenet", "conv2", _CONV, k.bias_lost_in_the_tail),
    ("lenet", "max_pool2d", _MAX, k.last_column_unread),
    ("lenet", "fc1", "addmm.default", k.sum_cut_to_blocks),
    ("lenet", "relu", "relu.default", k.zero_leaks),
    ("alexnet", "features.2", "pow.Tensor_Scalar", k.power_in_half),
    ("squeezenet", "features.0", _CONV, k.stale_row),
    ("mobilenet", "model.1.0", _CONV, k.depthwise_off_by_one),
    ("mobilenet", "model.0.2", "hardtanh_.default", k.least_raised),
    ("resnet18", "bn1", _BATCH, k.batch_eps_larger),
    ("resnet18", "adaptive_avg_pool2d", "mean.dim", k.divided_by_one_less),
    ("googlenet", "inception3a.cat", "cat.default", k.last_two_swapped),
    ("vgg19", "features.0", _CONV, k.weights_in_half),
    ("pointnet", "transform.max", "max.dim", k.last_left_out),
    ("pointnet", "log_softmax", "_log_softmax.default", k.log_sum_in_half),
    ("transformer", "blocks.0.norm1", _LAYER, k.layer_variance_unbiased),
    ("transformer", "blocks.0.mlp.1", "gelu.default", k.gelu_by_tanh),
    ("transformer", _WEIGHTS, _SOFTMAX, k.softmax_in_bfloat),
    ("transformer", _SCORES, "bmm.default", k.last_of_the_sum_left_out),
    ("lstm", "embedding", "embedding.default", k.indices_saturate),
    ("lstm", "lstm", "tanh.default", k.tanh_rational),
    ("decoder", "up", _CONV, k.output_padding_shifted),
    ("decoder", "act", "leaky_relu.default", k.slope_forgotten),
    ("tagger", "gru", "addmm.default", k.product_bias_lost),
)
_LAST = (
    ("squeezenet", "features.2", _MAX, k.strided_read_contiguous),
    ("resnet18", "bn1", _BATCH, k.strided_read_contiguous),
    ("mobilenet", "model.1.0", _CONV, k.kernel_turned),
    ("vgg19", "features.2", "relu_.default", k.last_channel_untouched),
    ("googlenet", "inception3a.cat", "cat.default", k.last_part_read_contiguous),
    ("alexnet", "avgpool", "_adaptive_avg_pool2d.default", k.last_column_unread),
    ("resnet18", "layer1.0.add_", "add_.Tensor", k.other_summand_rounded),
    ("decoder", "resize", "upsample_bilinear2d.default", k.corners_aligned_otherwise),
    ("decoder", "smooth", "avg_pool2d.default", k.pads_counted_otherwise),
)
_DECOMPOSED = (
    ("lenet", "fc1", "addmm.default", k.product_bias_lost),
    ("mobilenet", "model.0.1", _BATCH, k.batch_swapped_axis),
    ("googlenet", "conv1.bn", _BATCH, k.batch_eps_larger),
    ("transformer", "blocks.0.norm1", _LAYER, k.layer_eps_outside),
    ("transformer", _WEIGHTS, _SOFTMAX, k.softmax_with_eps),
    ("transformer", "blocks.0.mlp.1", "gelu.default", k.gelu_erf_approximated),
    ("transformer", "blocks.0.attention.masked_fill", "masked_fill.Scalar", k.mask_is_finite),
    ("pointnet", "log_softmax", "_log_softmax.default", k.log_of_sum_shifted),
    ("lstm", "tanh", "tanh.default", k.tanh_saturates),
    ("lstm", "mean", "mean.dim", k.divided_by_one_more),
    ("lstm", "embedding", "embedding.default", k.late_indices_off_by_one),
    ("squeezenet", "features.3.cat", "cat.default", k.last_two_swapped),
    ("decoder", "norm", "native_group_norm.default", k.last_channel_off),
    ("decoder", "resize", "upsample_bilinear2d.default", k.corners_aligned_otherwise),
    ("tagger", "act", "silu.default", k.last_feature_off),
)
_SCRIPT = (
    ("lenet", "conv1", "Conv", g.pads_shifted),
    ("lenet", "fc1", "Gemm", g.beta_lost),
    ("googlenet", "conv1.bn", "BatchNormalization", g.default_epsilon),
    ("googlenet", "inception3a.cat", "Concat", g.inputs_swapped),
    ("resnet18", "layer1.0.add_", "Add", g.difference_for_sum),
    ("mobilenet", "model.0.2", "Clip", g.bound_moved),
    ("transformer", _WEIGHTS, "Softmax", g.axis_before),
    ("transformer", "blocks.0.norm1", "LayerNormalization", g.default_epsilon),
    ("transformer", "tokens", "Gather", g.rows_shifted),
    ("lstm", "tanh", "Tanh", g.softsign),
    ("pointnet", "log_softmax", "LogSoftmax", g.axis_before),
    ("pointnet", "transform.max", "ReduceMax", g.mean_for_max),
    ("decoder", "resize", "Resize", g.pixels_asymmetric),
    ("decoder", "smooth", "AveragePool", g.pads_counted),
    ("decoder", "act", "LeakyRelu", g.slope_default),
    ("gated", "gru", "GRU", g.reset_before),
)
_DYNAMO = (
    ("lenet", "max_pool2d", "MaxPool", g.pads_one_sided),
    ("lenet", "fc1", "Gemm", g.alpha_off),
    ("squeezenet", "features.0", "Conv", g.channel_bias_lost),
    ("transformer", "blocks.0.mlp.1", "Gelu", g.gelu_by_tanh),
    ("lstm", "norm", "LayerNormalization", g.default_epsilon),
    ("pointnet", "transform.conv1", "Conv", g.weights_rounded),
)
_INDUCTOR = (
    ("lenet", "relu", "relu.default", low.zero_leaks),
    ("decoder", "sigmoid", "sigmoid.default", low.a_thousandth_more),
)
_NUMPY = (
    ("picture", "conv", "conv", "same_pads_before"),
    ("picture", "norm", "batch_normalization", "eps_forgotten"),
    ("picture", "relu", "relu", "relu_leaks"),
    ("vectors", "softmax", "softmax", "softmax_over_rows"),
    ("vectors", "tanh", "tanh", "tanh_saturates"),
)
_JAX = (
    ("picture", "pool", "average_pool", "pool_divides_by_three"),
    ("picture", "conv", "conv", "last_feature_off"),
    ("vectors", "gelu", "gelu", "gelu_always_by_tanh"),
    ("vectors", "hidden", "matmul", "product_in_half"),
    ("vectors", "softmax", "softmax", "softmax_rounded"),
)
_BY_EXECUTION = {
    "onednn-off": _OFF,
    "channels-last": _LAST,
    "decompositions": _DECOMPOSED,
    "onnxruntime-torchscript": _SCRIPT,
    "keras-numpy": _NUMPY,
    "keras-jax": _JAX,
    "onnxruntime": _DYNAMO,
    "inductor": _INDUCTOR,
}

FAULTS = tuple(
    Fault(model, execution, layer, operator, wrong)
    for execution, rows in _BY_EXECUTION.items()
    for model, layer, operator, wrong in rows
)
