# SPDX-License-Identifier: Apache-2.0
"""Layer and RMS normalization, forward and backward, and what all normalizations share."""

from collections import namedtuple

from . import _constants as c
from ._attributes import CallAttributes
from ._library import engine
from ._primitive import primitive
from ._tensor import (Desc, empty, integer, optional_view, output, require_dims,
                      require_separate, require_type, row_major, view)

#: What a backward normalization returns; None for what was not computed.
Gradients = namedtuple("Gradients", "x weight bias")


def flags_of(weight, bias, given_statistics, is_rms=False):
    return ((c.USE_SCALE if weight is not None else 0) | (c.USE_SHIFT if bias is not None else 0)
            | (c.USE_GLOBAL_STATS if given_statistics else 0) | (c.RMS_NORM if is_rms else 0))


def weight_and_bias(weight, bias, dims, short_type=None):
    """Views of weight and bias, checked, and their type: `short_type`, or by default that of the first
    one."""
    weight, bias = optional_view(weight, "weight"), optional_view(bias, "bias")
    require_dims(weight, dims, "weight")
    require_dims(bias, dims, "bias")
    if short_type is None:
        given = [tensor.type for tensor in (weight, bias) if tensor is not None]
        short_type = given[0] if given else "f32"
    require_type(weight, short_type, "weight")
    require_type(bias, short_type, "bias")
    return weight, bias, short_type


def checked_statistics(mean, variance, dims, short_type, names=("mean", "variance")):
    mean, variance = optional_view(mean, names[0]), optional_view(variance, names[1])
    for tensor, name in ((mean, names[0]), (variance, names[1])):
        require_dims(tensor, dims, name)
        require_type(tensor, short_type, name)
    return mean, variance


def both_or_none(mean, variance):
    if (mean is None) != (variance is None):
        raise ValueError("mean and variance must be given together")


# ---- over the last axes: layer and RMS normalization

def _statistics_type(x):
    return "f64" if x.type == "f64" else "f32"


def _as_rows(tensor, ndim, name):
    """The tensor with its normalized axes as one, and an axis before it."""
    if not 1 <= ndim <= len(tensor.dims):
        raise ValueError(f"ndim is {ndim}; it must be from 1 to the number of axes of {name}, "
                         f"{len(tensor.dims)}")
    rows = tensor.joined(ndim, name)
    return rows.with_axes([0]) if len(rows.dims) == 1 else rows


def _as_vector(tensor):
    return None if tensor is None else tensor.joined(len(tensor.dims), "weight and bias")


def _operand_as_rows(operand, normalized):
    """An operand of a post-op whose axes are those of the result."""
    extents = operand.dims[len(operand.dims) - len(normalized):]
    if extents != normalized and any(extent != 1 for extent in extents):
        raise ValueError(f"an operand of post_ops has extents {extents} along the normalized axes; they "
                         f"must be {normalized}, or 1 each")
    return _as_rows(operand, len(normalized), "an operand of post_ops")


def _row_forward(x, weight, bias, eps, ndim, given, out, dtype, return_stats, post_ops, is_rms):
    x, ndim = view(x, "x"), integer(ndim, "ndim")
    rows = _as_rows(x, ndim, "x")
    weight, bias, parameter_type = weight_and_bias(weight, bias, x.dims[len(x.dims) - ndim:])
    y = output(out, x.dims, dtype, x)
    stat_dims, stat_type = x.dims[:len(x.dims) - ndim], _statistics_type(x)
    is_given = given[1] is not None
    names = ("mean", "mean_square" if is_rms else "variance")
    mean, variance = checked_statistics(*given, stat_dims, stat_type, names)
    require_separate(y, {"x": x, "weight": weight, "bias": bias, names[0]: mean, names[1]: variance},
                     ["x"])
    if return_stats and not is_given:
        mean = None if is_rms else empty(stat_dims, stat_type, x)
        variance = empty(stat_dims, stat_type, x)
    rows_of_stats = rows.dims[:-1]
    stats = Desc(rows_of_stats, row_major(rows_of_stats), stat_type)
    is_training = return_stats and not is_given
    run_y = _as_rows(y, ndim, "out")
    normalized = x.dims[len(x.dims) - ndim:]
    attributes = CallAttributes(y, post_ops, out, lambda t: _operand_as_rows(t, normalized))
    made = primitive("layer_normalization_forward", engine,
                     c.FORWARD_TRAINING if is_training else c.FORWARD_INFERENCE, rows.desc,
                     run_y.desc, stats, c.DATA_TYPES[parameter_type], eps,
                     flags_of(weight, bias, is_given, is_rms), attributes=attributes.key, version="_v2")
    made.run({c.SRC: rows, c.DST: run_y, c.SCALE: _as_vector(weight), c.SHIFT: _as_vector(bias),
              c.MEAN: as_stats(mean, stats), c.VARIANCE: as_stats(variance, stats),
              **attributes.tensors})
    if not return_stats:
        return y.owner
    return (y.owner, variance.owner) if is_rms else (y.owner, mean.owner, variance.owner)


def as_stats(tensor, stats):
    """Statistics as the descriptor says: dense, with at least one axis."""
    if tensor is None:
        return None
    if tensor.dims and tensor.strides != row_major(tensor.dims):
        raise ValueError(f"statistics have strides {tensor.strides}; they must be contiguous")
    return tensor.over(stats.dims, stats.strides)


def _row_backward(dy, x, statistics, weight, has_bias, eps, ndim, out, is_rms):
    dy, x, ndim = view(dy, "dy"), view(x, "x"), integer(ndim, "ndim")
    require_dims(dy, x.dims, "dy")
    rows, run_dy = _as_rows(x, ndim, "x"), _as_rows(dy, ndim, "dy")
    normalized = x.dims[len(x.dims) - ndim:]
    weight, _, parameter_type = weight_and_bias(weight, None, normalized)
    stat_dims, stat_type = x.dims[:len(x.dims) - ndim], _statistics_type(x)
    names = ("mean", "mean_square" if is_rms else "variance")
    mean, variance = checked_statistics(*statistics, stat_dims, stat_type, names)
    stats = Desc(rows.dims[:-1], row_major(rows.dims[:-1]), stat_type)
    dx = output(out, x.dims, None, x)
    require_separate(dx, {"dy": dy, "x": x, "weight": weight, names[0]: mean, names[1]: variance},
                     ["dy"])
    run_dx = _as_rows(dx, ndim, "out")
    has_bias = weight is not None and not is_rms if has_bias is None else has_bias
    dweight = empty(normalized, parameter_type, x) if weight is not None else None
    dbias = empty(normalized, parameter_type, x) if has_bias else None
    made = primitive("layer_normalization_backward", engine, c.BACKWARD, run_dx.desc, run_dy.desc,
                     rows.desc, stats, c.DATA_TYPES[parameter_type], c.DATA_TYPES[parameter_type],
                     eps, flags_of(weight, dbias, False, is_rms), None, version="_v2")
    made.run({c.SRC: rows, c.DIFF_DST: run_dy, c.DIFF_SRC: run_dx, c.SCALE: _as_vector(weight),
              c.MEAN: as_stats(mean, stats), c.VARIANCE: as_stats(variance, stats),
              c.DIFF_SCALE: _as_vector(dweight), c.DIFF_SHIFT: _as_vector(dbias)})
    return Gradients(dx.owner, dweight and dweight.owner, dbias and dbias.owner)


def layer_norm(x, weight=None, bias=None, eps=1e-5, *, ndim=1, mean=None, variance=None,
               post_ops=(), out=None, dtype=None, return_stats=False):
    """Layer normalization: ``weight * (x - mean) / sqrt(variance + eps) + bias``.

    Parameters
    ----------
    x : array or tensor
        float32, bfloat16, float16, float64, int8 or uint8. NumPy array, or tensor with DLPack.
    weight, bias : array or tensor, optional
        The shape of the normalized axes; both float32, bfloat16 or float16 (float64 for float64 x).
    eps : float
        Positive.
    ndim : int
        How many of the last axes are normalized together. They must be one run in memory.
    mean, variance : array or tensor, optional
        Statistics to use instead of those of x.
    post_ops : sequence, optional
        As in `matmul`, without sums.
    out : array or tensor, optional
        Where the result goes; may be x itself.
    dtype : data type, optional
        Of the result, by default that of x: a name, a NumPy dtype or a torch dtype.
    return_stats : bool
        Whether mean and variance are returned too.

    Returns
    -------
    y : array or tensor
        A tensor of PyTorch if x is one, else a NumPy array.
    mean, variance : array or tensor
        Only with `return_stats`: float32 (float64 for float64 x), of x's shape without the
        normalized axes.

    Raises
    ------
    KilnError
        What the library refuses, with its reasons.

    Examples
    --------
    >>> import kiln, numpy as np
    >>> kiln.layer_norm(np.array([[1, 2, 3, 4]], np.float32), eps=1e-6).round(3)
    array([[-1.342, -0.447,  0.447,  1.342]], dtype=float32)
    """
    both_or_none(mean, variance)
    return _row_forward(x, weight, bias, eps, ndim, (mean, variance), out, dtype, return_stats,
                        post_ops, False)


def layer_norm_backward(dy, x, mean, variance, weight=None, eps=1e-5, *, ndim=1, has_bias=None,
                        out=None):
    """The gradients of `layer_norm`.

    Parameters
    ----------
    dy : array or tensor
        The gradient of the result. float32, bfloat16, float16 or float64.
    x, weight, eps, ndim
        As in `layer_norm`.
    mean, variance : array or tensor
        As `layer_norm` returned them.
    has_bias : bool, optional
        Whether the gradient of bias is computed; by default, where weight is given.
    out : array or tensor, optional
        Where the gradient of x goes; may be dy itself.

    Returns
    -------
    Gradients
        ``x``, ``weight`` (None without weight) and ``bias`` (None without bias).
    """
    return _row_backward(dy, x, (mean, variance), weight, has_bias, eps, ndim, out, False)


def rms_norm(x, weight=None, eps=1e-6, *, bias=None, ndim=1, mean_square=None, post_ops=(), out=None,
             dtype=None, return_stats=False):
    """RMS normalization: ``weight * x / sqrt(mean_square + eps) + bias``.

    Parameters
    ----------
    mean_square : array or tensor, optional
        The mean of squares to use instead of that of x.
    x, weight, eps, bias, ndim, post_ops, out, dtype, return_stats
        As in `layer_norm`.

    Returns
    -------
    y : array or tensor
    mean_square : array or tensor
        Only with `return_stats`.
    """
    return _row_forward(x, weight, bias, eps, ndim, (None, mean_square), out, dtype, return_stats,
                        post_ops, True)


def rms_norm_backward(dy, x, mean_square, weight=None, eps=1e-6, *, ndim=1, has_bias=False,
                      out=None):
    """The gradients of `rms_norm`.

    Parameters
    ----------
    mean_square : array or tensor
        As `rms_norm` returned it.
    dy, x, weight, eps, ndim, has_bias, out
        As in `layer_norm_backward`; there is no gradient of bias by default.

    Returns
    -------
    Gradients
        ``x``, ``weight`` (None without weight) and ``bias`` (None without bias).
    """
    return _row_backward(dy, x, (None, mean_square), weight, has_bias, eps, ndim, out, True)
