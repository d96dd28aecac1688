# SPDX-License-Identifier: Apache-2.0
"""Softmax, elementwise and binary operations, reductions, PReLU, and operations that move data."""

import numpy as np

from . import _constants as c
from ._attributes import Given, eltwise_parameters
from ._library import engine
from ._primitive import primitive
from ._tensor import (empty, integer, output, require_dims, require_separate, require_type, view)


def _algorithm(table, name, parameter="name"):
    if name not in table:
        raise ValueError(f"{parameter} is {name!r}; it must be one of {', '.join(table)}")
    return table[name]


def _axis(axis, tensor, name="x"):
    axis, count = integer(axis, "axis"), len(tensor.dims)
    if not -count <= axis < count:
        raise ValueError(f"axis is {axis}; {name} has {count} axes")
    return axis % count


# ---- softmax

def softmax(x, axis=-1, *, log=False, post_ops=(), out=None, dtype=None):
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

    Returns
    -------
    y : array or tensor
    """
    x = view(x, "x")
    y = output(out, x.dims, dtype, x)
    require_separate(y, {"x": x}, ["x"])
    given = Given(y, post_ops, out)
    primitive("softmax_forward", engine, c.FORWARD_INFERENCE, c.SOFTMAX["log" if log else "accurate"],
              x.desc, y.desc, _axis(axis, x),
              attributes=given.key).run({c.SRC: x, c.DST: y, **given.tensors})
    return y.owner


def log_softmax(x, axis=-1, *, post_ops=(), out=None, dtype=None):
    """The logarithm of `softmax`: ``x - log(sum(exp(x)))`` along an axis.

    Parameters
    ----------
    x, axis, post_ops, out, dtype
        As in `softmax`.

    Returns
    -------
    y : array or tensor
    """
    return softmax(x, axis, log=True, post_ops=post_ops, out=out, dtype=dtype)


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
              y.desc, _axis(axis, y, "y"), None).run({c.DST: y, c.DIFF_DST: dy, c.DIFF_SRC: dx})
    return dx.owner


# ---- elementwise

def eltwise(x, name, alpha=None, beta=None, *, post_ops=(), out=None):
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

    Returns
    -------
    y : array or tensor
    """
    x = view(x, "x")
    y = output(out, x.dims, None, x)
    require_separate(y, {"x": x}, ["x"])
    given = Given(y, post_ops, out)
    primitive("eltwise_forward", engine, c.FORWARD_INFERENCE, _algorithm(c.ELTWISE, name), x.desc,
              y.desc, *eltwise_parameters(name, alpha, beta),
              attributes=given.key).run({c.SRC: x, c.DST: y, **given.tensors})
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


def binary(a, b, name, *, post_ops=(), out=None, dtype=None):
    """``a op b`` for each pair of elements; axes are broadcast as in NumPy.

    Parameters
    ----------
    a, b : array, tensor or number
    name : str
        add, mul, max, min, div, sub, ge, gt, le, lt, eq, ne; comparisons give 1 or 0.
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
    y = output(out, dims, dtype, a)
    require_separate(y, {"a": a, "b": b}, ["a", "b"])
    first, second = (t.with_axes(range(len(dims) - len(t.dims))) for t in (a, b))
    given = Given(y, post_ops, out)
    primitive("binary", engine, _algorithm(c.BINARY, name), first.desc, second.desc, y.desc,
              attributes=given.key).run({c.SRC: first, c.SRC_1: second, c.DST: y, **given.tensors})
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
    axes = sorted({_axis(a, x) for a in axes})
    kept = tuple(1 if i in axes else dim for i, dim in enumerate(x.dims))
    dims = kept if keepdims else tuple(dim for i, dim in enumerate(x.dims) if i not in axes)
    y = output(out, dims, dtype, x)
    require_separate(y, {"x": x})
    result = y if keepdims else y.with_axes(axes)
    given = Given(y, post_ops, out, lambda t: t if keepdims else t.with_axes(axes))
    primitive("reduction", engine, _algorithm(c.REDUCTION, name), x.desc, result.desc, float(p),
              float(eps), attributes=given.key).run({c.SRC: x, c.DST: result, **given.tensors})
    return y.owner


# ---- several sources, and data that moves

def weighted_sum(tensors, scales=None, *, out=None, dtype=None):
    """``sum(scale * tensor)`` over tensors of one shape.

    Parameters
    ----------
    tensors : sequence of array or tensor
    scales : sequence of float, optional
        By default 1 each.
    out : array or tensor, optional
        Where the result goes; may be one of the tensors.
    dtype : data type, optional
        Of the result, by default that of the first tensor.

    Returns
    -------
    y : array or tensor
    """
    sources = _views(tensors)
    scales = [1.0] * len(sources) if scales is None else [float(scale) for scale in scales]
    if len(scales) != len(sources):
        raise ValueError(f"there are {len(scales)} scales for {len(sources)} tensors")
    for i, source in enumerate(sources):
        require_dims(source, sources[0].dims, f"tensors[{i}]")
    y = output(out, sources[0].dims, dtype, sources[0])
    named = {f"tensors[{i}]": source for i, source in enumerate(sources)}
    require_separate(y, named, tuple(named))
    primitive("sum", engine, y.desc, len(sources), tuple(scales),
              tuple(source.desc for source in sources)).run(_arguments(sources, y))
    return y.owner


def concat(tensors, axis=0, *, out=None):
    """Tensors one behind the other along an axis; their other extents are equal.

    Parameters
    ----------
    tensors : sequence of array or tensor
    axis : int
    out : array or tensor, optional
        Where the result goes; must not overlap the tensors.

    Returns
    -------
    y : array or tensor
    """
    sources = _views(tensors)
    axis = _axis(axis, sources[0], "a tensor")
    dims = list(sources[0].dims)
    for i, source in enumerate(sources):
        require_type(source, sources[0].type, f"tensors[{i}]")
        expected = [*dims]
        expected[axis:axis + 1] = source.dims[axis:axis + 1]
        require_dims(source, expected, f"tensors[{i}]")
    dims[axis] = sum(source.dims[axis] for source in sources)
    y = output(out, dims, None, sources[0])
    require_separate(y, {f"tensors[{i}]": source for i, source in enumerate(sources)})
    primitive("concat", engine, y.desc, len(sources), axis,
              tuple(source.desc for source in sources)).run(_arguments(sources, y))
    return y.owner


def _views(tensors):
    views = [view(tensor, f"tensors[{i}]") for i, tensor in enumerate(tensors)]
    if not views:
        raise ValueError("there are no tensors")
    return views


def _arguments(sources, y):
    return {c.DST: y, **{c.MULTIPLE_SRC + i: source for i, source in enumerate(sources)}}


def shuffle(x, groups, axis=1, *, out=None):
    """Mixes groups of channels: the axis, read as a matrix with a row for each group, is transposed.

    Parameters
    ----------
    x : array or tensor
    groups : int
        Divides the axis' extent.
    axis : int
    out : array or tensor, optional
        Where the result goes; must not overlap x.

    Returns
    -------
    y : array or tensor
    """
    x = view(x, "x")
    axis, groups = _axis(axis, x), integer(groups, "groups")
    if groups < 1 or x.dims[axis] % groups != 0:
        raise ValueError(f"groups is {groups}; it must divide {x.dims[axis]}, the extent of the axis")
    y = output(out, x.dims, None, x)
    require_separate(y, {"x": x})
    primitive("shuffle_forward", engine, c.FORWARD_INFERENCE, x.desc, y.desc, axis,
              max(1, x.dims[axis] // groups)).run({c.SRC: x, c.DST: y})
    return y.owner


def reorder(x, dtype=None, *, out=None, src_scale=None, dst_scale=None, post_ops=()):
    """A copy with another data type, another order in memory (that of `out`), or both:
    ``y = convert(post_ops(src_scale * x) / dst_scale)``. Integers are rounded to nearest even and
    saturated.

    Parameters
    ----------
    x : array or tensor
    dtype : data type, optional
        Of the result, by default that of x.
    out : array or tensor, optional
        Where the result goes; may be x itself, but not x in another order or as another type.
    src_scale, dst_scale : float, optional
        Scales of quantized data.
    post_ops : sequence, optional
        As in `matmul`.

    Returns
    -------
    y : array or tensor

    Examples
    --------
    >>> import kiln, numpy as np
    >>> kiln.reorder(np.array([0.1, 0.26, 99], np.float32), "s8", dst_scale=0.1)
    array([  1,   3, 127], dtype=int8)
    """
    x = view(x, "x")
    y = output(out, x.dims, dtype, x)
    require_separate(y, {"x": x}, ["x"])
    given = Given(y, post_ops, out)
    given.add_scale(c.SRC, src_scale, "src_scale")
    given.add_scale(c.DST, dst_scale, "dst_scale")
    primitive("reorder", x.desc, engine, y.desc, engine,
              attributes=given.key).run({c.SRC: x, c.DST: y, **given.tensors})
    return y.owner


__all__ = ["binary", "concat", "eltwise", "eltwise_backward", "log_softmax", "prelu",
           "prelu_backward", "reduction", "reorder", "shuffle", "softmax", "softmax_backward",
           "weighted_sum"]
