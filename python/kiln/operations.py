# SPDX-License-Identifier: Apache-2.0
"""Softmax, elementwise and binary operations, reductions and PReLU."""

import numpy as np

from . import _constants as c
from ._attributes import CallAttributes
from ._library import engine
from ._post_ops import eltwise_parameters
from ._primitive import primitive
from ._tensor import (empty, optional_view, output, require_dims, require_separate, tensor_axis,
                      view)


def _algorithm(table, name, parameter="name"):
    if name not in table:
        raise ValueError(f"{parameter} is {name!r}; it must be one of {', '.join(table)}")
    return table[name]


# ---- softmax

def softmax(x, axis=-1, *, log=False, post_ops=(), out=None, dtype=None, dropout=None):
    """``exp(x) / sum(exp(x))`` along an axis, or its logarithm.

    Parameters
    ----------
    x : array or tensor
    axis : int
    log : bool
        Whether the result is ``x - log(sum(exp(x)))``.
    post_ops : sequence, optional
        As in `matmul`, without sums.
    out : array or tensor, optional
        Where the result goes; may be x itself.
    dtype : data type, optional
        Of the result, by default that of x.
    dropout : Dropout, optional
        Before post-ops.

    Returns
    -------
    y : array or tensor
    """
    x = view(x, "x")
    y = output(out, x.dims, dtype, x)
    require_separate(y, {"x": x}, ["x"])
    attributes = CallAttributes(y, post_ops, out)
    attributes.set_dropout(dropout)
    primitive("softmax_forward", engine, c.FORWARD_INFERENCE, c.SOFTMAX["log" if log else "accurate"],
              x.desc, y.desc, tensor_axis(axis, x),
              attributes=attributes.key).run({c.SRC: x, c.DST: y, **attributes.tensors})
    return y.owner


def log_softmax(x, axis=-1, *, post_ops=(), out=None, dtype=None, dropout=None):
    """The logarithm of `softmax`: ``x - log(sum(exp(x)))`` along an axis.

    Parameters
    ----------
    x, axis, post_ops, out, dtype, dropout
        As in `softmax`.

    Returns
    -------
    y : array or tensor
    """
    return softmax(x, axis, log=True, post_ops=post_ops, out=out, dtype=dtype, dropout=dropout)


def softmax_backward(dy, y, axis=-1, *, log=False, out=None):
    """The gradient of `softmax` with respect to x.

    Parameters
    ----------
    dy : array or tensor
        The gradient of the result.
    y : array or tensor
        The result.
    axis, log
        As in `softmax`.
    out : array or tensor, optional
        Where the gradient goes; may be dy itself.

    Returns
    -------
    dx : array or tensor
    """
    dy, y = view(dy, "dy"), view(y, "y")
    require_dims(dy, y.dims, "dy")
    dx = output(out, y.dims, None, dy)
    require_separate(dx, {"dy": dy, "y": y}, ["dy"])
    primitive("softmax_backward", engine, c.SOFTMAX["log" if log else "accurate"], dx.desc, dy.desc,
              y.desc, tensor_axis(axis, y, "y"), None).run({c.DST: y, c.DIFF_DST: dy, c.DIFF_SRC: dx})
    return dx.owner


# ---- elementwise

def eltwise(x, name, alpha=None, beta=None, *, post_ops=(), out=None, dropout=None):
    """An elementwise function.

    Parameters
    ----------
    x : array or tensor
    name : str
        relu, tanh, elu, square, abs, sqrt, linear, soft_relu, hardsigmoid, logistic, exp, gelu_tanh,
        swish, log, clip, clip_v2, pow, gelu_erf, round, mish, hardswish.
    alpha, beta : float, optional
        Parameters of the function (doc/primitives/eltwise.md). By default alpha is 0 in relu, the slope of
        negative x; 1 in elu, soft_relu, swish, linear and pow; 1/6, with beta 1/2, in hardsigmoid and
        hardswish. clip and clip_v2 need both, its bounds; pow needs beta, the exponent.
    post_ops : sequence, optional
        Operations of `binary` and prelu, as in `matmul`.
    out : array or tensor, optional
        Where the result goes; may be x itself.
    dropout : Dropout, optional
        Before post-ops.

    Returns
    -------
    y : array or tensor
    """
    x = view(x, "x")
    y = output(out, x.dims, None, x)
    require_separate(y, {"x": x}, ["x"])
    attributes = CallAttributes(y, post_ops, out)
    attributes.set_dropout(dropout)
    primitive("eltwise_forward", engine, c.FORWARD_INFERENCE, _algorithm(c.ELTWISE, name), x.desc,
              y.desc, *eltwise_parameters(name, alpha, beta),
              attributes=attributes.key).run({c.SRC: x, c.DST: y, **attributes.tensors})
    return y.owner


def eltwise_backward(dy, x, name, alpha=None, beta=None, *, out=None):
    """The gradient of `eltwise` with respect to x.

    Parameters
    ----------
    dy, out
        As in `softmax_backward`.
    x, name, alpha, beta
        As in `eltwise`.

    Returns
    -------
    dx : array or tensor
    """
    dy, x = view(dy, "dy"), view(x, "x")
    require_dims(dy, x.dims, "dy")
    dx = output(out, x.dims, None, x)
    require_separate(dx, {"dy": dy, "x": x}, ["dy"])
    primitive("eltwise_backward", engine, _algorithm(c.ELTWISE, name), dx.desc, dy.desc, x.desc,
              *eltwise_parameters(name, alpha, beta), None).run({c.SRC: x, c.DIFF_DST: dy, c.DIFF_SRC: dx})
    return dx.owner


def binary(a, b, name, *, condition=None, post_ops=(), out=None, dtype=None):
    """``a op b`` for each pair of elements; axes are broadcast as in NumPy.

    Parameters
    ----------
    a, b : array, tensor or number
    name : str
        add, mul, max, min, div, sub, ge, gt, le, lt, eq, ne, select; comparisons give 1 or 0, select gives a
        where the condition holds, else b.
    condition : array or tensor, optional
        Of select: int8, of the result's shape; it holds where it is not 0.
    post_ops : sequence, optional
        As in `matmul`.
    out : array or tensor, optional
        Where the result goes; may be a or b itself.
    dtype : data type, optional
        Of the result, by default that of a.

    Returns
    -------
    y : array or tensor
    """
    a, b = view(a, "a"), view(b, "b")
    dims = np.broadcast_shapes(a.dims, b.dims)
    condition = optional_view(condition, "condition")
    if (condition is None) != (name != "select"):
        raise TypeError(f"{name} {'needs a' if condition is None else 'has no'} condition")
    require_dims(condition, dims, "condition")
    y = output(out, dims, dtype, a)
    require_separate(y, {"a": a, "b": b, "condition": condition}, ["a", "b"])
    first, second = (t.with_axes(range(len(dims) - len(t.dims))) for t in (a, b))
    attributes = CallAttributes(y, post_ops, out)
    primitive("binary", engine, _algorithm(c.BINARY, name), first.desc, second.desc,
              condition and condition.desc, y.desc, attributes=attributes.key, version="_v2").run(
                  {c.SRC: first, c.SRC_1: second, c.SRC_2: condition, c.DST: y, **attributes.tensors})
    return y.owner


def prelu(x, weight, *, out=None):
    """``x`` where it is positive, ``weight * x`` elsewhere.

    Parameters
    ----------
    x : array or tensor
    weight : array or tensor
        As many axes as x, each with x's extent or 1.
    out : array or tensor, optional
        Where the result goes; may be x itself.

    Returns
    -------
    y : array or tensor
    """
    x, weight = view(x, "x"), view(weight, "weight")
    y = output(out, x.dims, None, x)
    require_separate(y, {"x": x, "weight": weight}, ["x"])
    primitive("prelu_forward", engine, c.FORWARD_INFERENCE, x.desc, weight.desc,
              y.desc).run({c.SRC: x, c.WEIGHTS: weight, c.DST: y})
    return y.owner


def prelu_backward(dy, x, weight):
    """The gradients of `prelu`.

    Parameters
    ----------
    dy : array or tensor
        The gradient of the result, of x's shape.
    x, weight
        As in `prelu`.

    Returns
    -------
    dx, dweight : array or tensor
        Of x's and weight's shape and type.
    """
    dy, x, weight = view(dy, "dy"), view(x, "x"), view(weight, "weight")
    require_dims(dy, x.dims, "dy")
    dx, dweight = empty(x.dims, x.type, x), empty(weight.dims, weight.type, weight)
    primitive("prelu_backward", engine, x.desc, weight.desc, dx.desc, dweight.desc, dy.desc,
              None).run({c.SRC: x, c.WEIGHTS: weight, c.DIFF_DST: dy, c.DIFF_SRC: dx,
                         c.DIFF_WEIGHTS: dweight})
    return dx.owner, dweight.owner


# ---- reductions

def reduction(x, name="sum", axis=None, *, keepdims=False, p=2.0, eps=0.0, post_ops=(), out=None,
              dtype=None):
    """Reduces axes to one value each.

    Parameters
    ----------
    x : array or tensor
    name : str
        max, min, sum, mul, mean, norm_lp_max, norm_lp_sum, norm_lp_power_p_max,
        norm_lp_power_p_sum.
    axis : int or tuple of int, optional
        By default all.
    keepdims : bool
        Whether the reduced axes remain, with extent 1.
    p, eps : float
        Parameters of norms (doc/primitives/reduction.md).
    post_ops : sequence, optional
        As in `matmul`.
    out : array or tensor, optional
        Where the result goes; must not overlap x.
    dtype : data type, optional
        Of the result, by default that of x.

    Returns
    -------
    y : array or tensor
    """
    x = view(x, "x")
    axes = range(len(x.dims)) if axis is None else axis if np.iterable(axis) else (axis,)
    axes = sorted({tensor_axis(a, x) for a in axes})
    kept = tuple(1 if i in axes else dim for i, dim in enumerate(x.dims))
    dims = kept if keepdims else tuple(dim for i, dim in enumerate(x.dims) if i not in axes)
    y = output(out, dims, dtype, x)
    require_separate(y, {"x": x})
    result = y if keepdims else y.with_axes(axes)
    attributes = CallAttributes(y, post_ops, out, lambda t: t if keepdims else t.with_axes(axes))
    primitive("reduction", engine, _algorithm(c.REDUCTION, name), x.desc, result.desc, float(p),
              float(eps), attributes=attributes.key).run({c.SRC: x, c.DST: result, **attributes.tensors})
    return y.owner


__all__ = ["binary", "eltwise", "eltwise_backward", "log_softmax", "prelu", "prelu_backward", "reduction",
           "softmax", "softmax_backward"]
