# SPDX-License-Identifier: Apache-2.0
"""Batch, group and instance normalization, forward and backward: over channels."""

from . import _constants as c
from ._attributes import CallAttributes
from ._library import engine
from ._primitive import primitive
from ._tensor import Desc, empty, integer, output, require_dims, require_separate, row_major, view
from .normalization import (Gradients, as_stats, both_or_none, checked_statistics, flags_of,
                            weight_and_bias)


def _channel_count(x):
    if len(x.dims) < 2:
        raise ValueError(f"x has shape {x.dims}; it must have a batch axis and a channel axis")
    return x.dims[1]


class _Channels:
    """What batch and group normalization differ in: the operation's name, its own parameter, and the
    shape of the statistics."""

    def __init__(self, x, groups=None):
        self.channels = _channel_count(x)
        groups = None if groups is None else integer(groups, "groups")
        self.name = "batch" if groups is None else "group"
        self.extra = () if groups is None else (groups,)
        self.stat_dims = (self.channels,) if groups is None else (x.dims[0], groups)

    def primitive(self, direction, *arguments, **options):
        return primitive(f"{self.name}_normalization_{direction}", engine, *arguments, **options)


def _channel_forward(x, weight, bias, eps, groups, mean, variance, out, dtype, return_stats,
                     post_ops):
    both_or_none(mean, variance)
    x = view(x, "x")
    channels = _Channels(x, groups)
    weight, bias, _ = weight_and_bias(weight, bias, (channels.channels,), "f32")
    y = output(out, x.dims, dtype, x)
    is_given = mean is not None
    mean, variance = checked_statistics(mean, variance, channels.stat_dims, "f32")
    require_separate(y, {"x": x, "weight": weight, "bias": bias, "mean": mean, "variance": variance},
                     ["x"])
    if return_stats and not is_given:
        mean, variance = (empty(channels.stat_dims, "f32", x) for _ in range(2))
    is_training = return_stats and not is_given
    attributes = CallAttributes(y, post_ops, out)
    made = channels.primitive(
        "forward", c.FORWARD_TRAINING if is_training else c.FORWARD_INFERENCE, x.desc, y.desc,
        *channels.extra, eps, flags_of(weight, bias, is_given), attributes=attributes.key)
    stats = Desc(channels.stat_dims, row_major(channels.stat_dims), "f32")
    made.run({c.SRC: x, c.DST: y, c.SCALE: weight, c.SHIFT: bias, c.MEAN: as_stats(mean, stats),
              c.VARIANCE: as_stats(variance, stats), **attributes.tensors})
    return (y.owner, mean.owner, variance.owner) if return_stats else y.owner


def _channel_backward(dy, x, mean, variance, weight, eps, groups, has_bias, given, out):
    dy, x = view(dy, "dy"), view(x, "x")
    require_dims(dy, x.dims, "dy")
    channels = _Channels(x, groups)
    weight, _, _ = weight_and_bias(weight, None, (channels.channels,), "f32")
    mean, variance = checked_statistics(mean, variance, channels.stat_dims, "f32")
    dx = output(out, x.dims, None, x)
    require_separate(dx, {"dy": dy, "x": x, "weight": weight, "mean": mean, "variance": variance},
                     ["dy"])
    has_bias = weight is not None if has_bias is None else has_bias
    dweight = empty((channels.channels,), "f32", x) if weight is not None else None
    dbias = empty((channels.channels,), "f32", x) if has_bias else None
    made = channels.primitive("backward", c.BACKWARD, dx.desc, dy.desc, x.desc, *channels.extra,
                              eps, flags_of(weight, dbias, given), None)
    stats = Desc(channels.stat_dims, row_major(channels.stat_dims), "f32")
    made.run({c.SRC: x, c.DIFF_DST: dy, c.DIFF_SRC: dx, c.SCALE: weight,
              c.MEAN: as_stats(mean, stats), c.VARIANCE: as_stats(variance, stats),
              c.DIFF_SCALE: dweight, c.DIFF_SHIFT: dbias})
    return Gradients(dx.owner, dweight and dweight.owner, dbias and dbias.owner)


def batch_norm(x, weight=None, bias=None, eps=1e-5, *, mean=None, variance=None, post_ops=(),
               out=None, return_stats=False):
    """Batch normalization: each channel over the batch and all positions.

    Parameters
    ----------
    x : array or tensor
        (batch, channels, positions...), in any order in memory. float32, bfloat16, float16 or
        float64; with given statistics also int8.
    weight, bias : array or tensor, optional
        float32, one value for each channel.
    eps : float
        Positive.
    mean, variance : array or tensor, optional
        Running statistics, as in inference; one value for each channel. Statistics are float32.
    post_ops : sequence, optional
        Functions of `eltwise` that are applied to the result: ``"relu"`` or ``("relu", alpha, beta)``.
    out : array or tensor, optional
        Where the result goes; may be x itself.
    return_stats : bool
        Whether mean and variance (the biased one, of n elements by n) are returned too.

    Returns
    -------
    y : array or tensor
    mean, variance : array or tensor
        Only with `return_stats`.
    """
    return _channel_forward(x, weight, bias, eps, None, mean, variance, out, None, return_stats,
                            post_ops)


def batch_norm_backward(dy, x, mean, variance, weight=None, eps=1e-5, *, has_bias=None,
                        given_statistics=False, out=None):
    """The gradients of `batch_norm`.

    Parameters
    ----------
    given_statistics : bool
        Whether mean and variance were given to `batch_norm`: they are constants then.
    dy, x, mean, variance, weight, eps, has_bias, out
        As in `layer_norm_backward`.

    Returns
    -------
    Gradients
    """
    return _channel_backward(dy, x, mean, variance, weight, eps, None, has_bias, given_statistics,
                             out)


def group_norm(x, groups, weight=None, bias=None, eps=1e-5, *, mean=None, variance=None,
               post_ops=(), out=None, dtype=None, return_stats=False):
    """Group normalization: each group of adjacent channels of each image.

    Parameters
    ----------
    x : array or tensor
        (batch, channels, positions...), in any order in memory. float32, bfloat16, float16, float64,
        int8 or uint8.
    groups : int
        Divides the number of channels.
    weight, bias, eps, mean, variance, out, return_stats
        As in `batch_norm`; statistics have shape (batch, groups).
    post_ops
        As in `layer_norm`.
    dtype : data type, optional
        Of the result, by default that of x.

    Returns
    -------
    y : array or tensor
    mean, variance : array or tensor
        Only with `return_stats`.
    """
    return _channel_forward(x, weight, bias, eps, groups, mean, variance, out, dtype, return_stats,
                            post_ops)


def group_norm_backward(dy, x, groups, mean, variance, weight=None, eps=1e-5, *, has_bias=None,
                        given_statistics=False, out=None):
    """The gradients of `group_norm`.

    Parameters
    ----------
    groups : int
        As in `group_norm`.
    mean, variance : array or tensor
        As `group_norm` returned them, (batch, groups).
    dy, x, weight, eps, has_bias, given_statistics, out
        As in `batch_norm_backward`.

    Returns
    -------
    Gradients
        ``x``, ``weight`` (None without weight) and ``bias`` (None without bias).
    """
    return _channel_backward(dy, x, mean, variance, weight, eps, groups, has_bias, given_statistics,
                             out)


def instance_norm(x, weight=None, bias=None, eps=1e-5, **options):
    """Instance normalization: `group_norm` with one channel in each group.

    Parameters
    ----------
    x, weight, bias, eps
        As in `group_norm`.
    **options
        The other parameters of `group_norm`; statistics have shape (batch, channels).

    Returns
    -------
    y : array or tensor
    mean, variance : array or tensor
        Only with `return_stats`.
    """
    return group_norm(x, _channel_count(view(x, "x")), weight, bias, eps, **options)


def instance_norm_backward(dy, x, mean, variance, weight=None, eps=1e-5, **options):
    """The gradients of `instance_norm`.

    Parameters
    ----------
    dy, x, mean, variance, weight, eps
        As in `group_norm_backward`; statistics have shape (batch, channels).
    **options
        The other parameters of `group_norm_backward`.

    Returns
    -------
    Gradients
        ``x``, ``weight`` (None without weight) and ``bias`` (None without bias).
    """
    return group_norm_backward(dy, x, _channel_count(view(x, "x")), mean, variance, weight, eps,
                               **options)
