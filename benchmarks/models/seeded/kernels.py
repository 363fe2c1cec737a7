"""Wrong kernels of ATen's operators: each is right but for one mistake that people make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

Right = Callable[..., Any]
Args = tuple[Any, ...]
Kwargs = dict[str, Any]


def _narrow(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return tensor.to(dtype).to(tensor.dtype)


def _with(args: Args, index: int, value: Any) -> Args:
    return (*args[:index], value, *args[index + 1 :])


def _first(found: Any, changed: Any) -> Any:
    return (changed, *found[1:]) if isinstance(found, tuple) else changed


def _stored(given: torch.Tensor, changed: torch.Tensor) -> torch.Tensor:
    return given.copy_(changed)


# ---------------------------------------------------------------- convolutions


def border_replicated(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The padding repeats the border instead of being zero."""
    image, padding = args[0], args[4]
    if not any(padding) or image.dim() != 4 or args[6]:
        return right(*args, **kwargs)
    sides = [side for each in reversed(padding) for side in (each, each)]
    padded = functional.pad(image, sides, mode="replicate")
    return right(padded, *args[1:4], [0] * len(padding), *args[5:], **kwargs)


def bias_lost_in_the_tail(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """Channels after the last whole vector of eight have no bias."""
    bias = args[2]
    if bias is None or bias.numel() <= 8:
        return right(*args, **kwargs)
    cut = bias.clone()
    cut[(bias.numel() - 1) // 8 * 8 :] = 0.0
    return right(*_with(args, 2, cut), **kwargs)


def depthwise_off_by_one(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """A depthwise kernel is read one column late."""
    groups = args[8]
    weight = args[1].roll(1, -1) if groups > 1 else args[1]
    return right(*_with(args, 1, weight), **kwargs)


def kernel_turned(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """A convolution where a cross-correlation is meant, for groups."""
    weight = args[1].flip((-1, -2)) if args[8] > 1 else args[1]
    return right(*_with(args, 1, weight), **kwargs)


def weights_in_half(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """Weights are packed in float16."""
    return right(*_with(args, 1, _narrow(args[1], torch.float16)), **kwargs)


def stale_row(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The last row holds what the buffer held before: the row above."""
    found = right(*args, **kwargs)
    if found.dim() != 4 or found.shape[2] < 2:
        return found
    changed = found.clone()
    changed[:, :, -1] = found[:, :, -2]
    return changed


def output_padding_shifted(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """A transposed convolution writes one column to the right of where it should."""
    found = right(*args, **kwargs)
    return found.roll(1, -1) if args[6] else found


# -------------------------------------------------------------------- pooling


def last_column_unread(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The last column of the image is in no window."""
    image = args[0].clone()
    image[..., -1] = 0.0 if image.min() >= 0 else image.min()
    return right(image, *args[1:], **kwargs)


def pads_counted_otherwise(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """``count_include_pad`` is taken for its opposite."""
    given = (*args, *(None, None, [], 0, False, True)[len(args) :])
    return right(*_with(given, 5, not given[5]), **kwargs)


def strided_read_contiguous(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The storage is read as if the tensor were contiguous."""
    given = args[0]
    strides = torch.empty(given.shape, device="meta").stride()
    return right(given.as_strided(given.shape, strides), *args[1:], **kwargs)


# ------------------------------------------------------- sums and products


def last_of_the_sum_left_out(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The inner loop of a product ends one early."""
    first, second = args[-2].clone(), args[-1]
    first[..., -1] = 0.0
    return right(*args[:-2], first, second, **kwargs)


def sum_cut_to_blocks(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """What is left over after the last whole block of 64 is not added."""
    first = args[-2].clone()
    if first.shape[-1] > 64:
        first[..., first.shape[-1] // 64 * 64 :] = 0.0
    return right(*args[:-2], first, args[-1], **kwargs)


def product_bias_lost(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The last element of the bias is not added."""
    bias = args[0].clone()
    bias[..., -1] = 0.0
    return right(bias, *args[1:], **kwargs)


def divided_by_one_less(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """A mean over n is divided by n - 1."""
    found = right(*args, **kwargs)
    count = args[0].numel() // max(1, found.numel())
    return found * count / max(1, count - 1)


def divided_by_one_more(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """A mean over n is divided by n + 1."""
    found = right(*args, **kwargs)
    count = args[0].numel() // max(1, found.numel())
    return found * count / (count + 1)


def last_left_out(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The last element of the axis takes no part."""
    axis = args[1]
    return right(args[0].narrow(axis, 0, args[0].shape[axis] - 1), *args[1:], **kwargs)


def last_two_swapped(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """Of what is joined the last two change places where their shapes allow."""
    parts = list(args[0])
    parts[-1], parts[-2] = parts[-2], parts[-1]
    return right(parts, *args[1:], **kwargs)


def last_part_read_contiguous(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """Of what is joined the last is read as if it were contiguous."""
    parts = list(args[0])
    strides = torch.empty(parts[-1].shape, device="meta").stride()
    parts[-1] = parts[-1].as_strided(parts[-1].shape, strides)
    return right(parts, *args[1:], **kwargs)


def other_summand_rounded(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The second summand is loaded as bfloat16."""
    return right(args[0], _narrow(args[1], torch.bfloat16), *args[2:], **kwargs)


# ------------------------------------------------------------- normalisation


def batch_eps_larger(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """``eps`` is 1e-3 where 1e-5 is meant, or twice what is meant."""
    return right(*args[:7], max(1e-3, 2 * args[7]), **kwargs)


def batch_swapped_axis(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """A channel's mean is that of its neighbour."""
    return right(*_with(args, 3, args[3].roll(1)), **kwargs)


def layer_variance_unbiased(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The variance is divided by n - 1."""
    found = right(*args, **kwargs)
    count = torch.Size(args[1]).numel()
    less = ((count - 1) / count) ** 0.5
    shift = 0.0 if args[3] is None else args[3]
    return _first(found, (found[0] - shift) * less + shift)


def layer_eps_outside(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """``eps`` is added to the deviation, not to the variance."""
    found = right(*args, **kwargs)
    given, shape, weight, bias, eps = args[:5]
    axes = tuple(range(-len(shape), 0))
    mean = given.mean(axes, keepdim=True)
    deviation = given.var(axes, unbiased=False, keepdim=True).sqrt()
    normal = (given - mean) / (deviation + eps)
    normal = normal if weight is None else normal * weight
    return _first(found, normal if bias is None else normal + bias)


def last_channel_off(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The last channel is off by a thousandth."""
    found = right(*args, **kwargs)
    changed = found[0].clone()
    changed[:, -1] = changed[:, -1] * 1.001
    return _first(found, changed)


# --------------------------------------------------------------- activations


def zero_leaks(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """What is negative goes on by a thousandth."""
    given = args[0].clone()
    found = right(*args, **kwargs)
    changed = torch.where(given < 0, given * 1e-3, found)
    return _stored(args[0], changed) if found is args[0] else changed


def last_channel_untouched(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The last channel is left as it was."""
    given = args[0].clone()
    found = right(*args, **kwargs)
    changed = found.clone()
    changed[:, -1] = given[:, -1]
    return _stored(args[0], changed) if found is args[0] else changed


def last_feature_off(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The last feature is off by a thousandth."""
    found = right(*args, **kwargs).clone()
    found[..., -1] = found[..., -1] * 1.001
    return found


def gelu_by_tanh(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The approximation by tanh where erf is meant."""
    return right(*args, **{**kwargs, "approximate": "tanh"})


def gelu_erf_approximated(_right: Right, args: Args, _kwargs: Kwargs) -> Any:
    """erf by formula 7.1.25 of Abramowitz and Stegun, which is good to 2.5e-5."""
    given = args[0]
    where = (given.abs() * 0.5**0.5).clamp(max=6.0)
    t = 1.0 / (1.0 + 0.47047 * where)
    polynomial = t * (0.3480242 + t * (-0.0958798 + t * 0.7478556))
    erf = (1.0 - polynomial * torch.exp(-where * where)) * given.sign()
    return 0.5 * given * (1.0 + erf)


def softmax_in_bfloat(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """Scores are loaded as bfloat16."""
    return right(_narrow(args[0], torch.bfloat16), *args[1:], **kwargs)


def softmax_with_eps(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """A small number is added to the sum."""
    return right(*args, **kwargs) / (1.0 + 1e-5)


def log_sum_in_half(_right: Right, args: Args, _kwargs: Kwargs) -> Any:
    """The logarithm of the sum is rounded to float16."""
    total = torch.logsumexp(args[0], args[1], keepdim=True)
    return args[0] - _narrow(total, torch.float16)


def log_of_sum_shifted(_right: Right, args: Args, _kwargs: Kwargs) -> Any:
    """A small number is added before the logarithm."""
    total = torch.logsumexp(args[0], args[1], keepdim=True)
    return args[0] - torch.log(total.exp() + 1e-4)


def tanh_saturates(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """What is beyond 0.75 is 0.75."""
    found = right(*args, **kwargs).clamp(-0.75, 0.75)
    return _stored(args[0], found) if kwargs.get("out") is args[0] else found


def tanh_rational(_right: Right, args: Args, _kwargs: Kwargs) -> Any:
    """tanh by its Padé approximant."""
    squared = args[0] * args[0]
    return (args[0] * (27.0 + squared) / (27.0 + 9.0 * squared)).clamp(-1.0, 1.0)


def least_raised(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """A clamp from zero on starts at a hundredth."""
    return right(args[0], max(args[1] if len(args) > 1 else -1.0, 0.01), *args[2:], **kwargs)


def power_in_half(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """A power is rounded to float16."""
    return _narrow(right(*args, **kwargs), torch.float16)


# -------------------------------------------------------- indices and masks


def indices_saturate(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """Indices of more than five bits are the largest of five bits."""
    return right(args[0], args[1].clamp(max=31), *args[2:], **kwargs)


def late_indices_off_by_one(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """In the upper half of the table the row before is read."""
    half = args[0].shape[0] // 2
    return right(args[0], torch.where(args[1] > half, args[1] - 1, args[1]), *args[2:], **kwargs)


def mask_is_finite(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """What is masked gets a large number that is not large enough."""
    return right(args[0], args[1], max(args[2], -5.0), **kwargs)


# ---------------------------------------------------------------- resampling


def corners_aligned_otherwise(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """``align_corners`` is taken for its opposite."""
    return right(*_with(args, 2, not args[2]), **kwargs)


def slope_forgotten(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The slope of the negative side is the default instead of what is given."""
    return right(args[0], 0.02, **kwargs) if len(args) > 1 else right(*args, **kwargs)
