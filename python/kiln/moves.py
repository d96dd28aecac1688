# SPDX-License-Identifier: Apache-2.0
"""Operations of several sources, and those that move data: sum, concatenation, shuffle, reorder."""

from . import _constants as c
from ._attributes import Given
from ._library import engine
from ._primitive import primitive
from ._tensor import integer, output, require_dims, require_separate, require_type, tensor_axis, view


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
    axis = tensor_axis(axis, sources[0], "a tensor")
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
    return _shuffle(view(x, "x"), groups, axis, out, "forward")


def _shuffle(x, groups, axis, out, direction):
    is_forward, name = direction == "forward", "x" if direction == "forward" else "dy"
    axis, groups = tensor_axis(axis, x, name), integer(groups, "groups")
    if groups < 1 or x.dims[axis] % groups != 0:
        raise ValueError(f"groups is {groups}; it must divide {x.dims[axis]}, the extent of the axis")
    y = output(out, x.dims, None, x)
    require_separate(y, {name: x})
    size = max(1, x.dims[axis] // groups)
    if is_forward:
        made = primitive("shuffle_forward", engine, c.FORWARD_INFERENCE, x.desc, y.desc, axis, size)
    else:
        made = primitive("shuffle_backward", engine, y.desc, x.desc, axis, size, None)
    made.run({c.SRC: x, c.DST: y} if is_forward else {c.DIFF_DST: x, c.DIFF_SRC: y})
    return y.owner


def shuffle_backward(dy, groups, axis=1, *, out=None):
    """The gradient of `shuffle` with respect to x.

    Parameters
    ----------
    dy : array or tensor
        The gradient of the result.
    groups, axis
        As in `shuffle`.
    out : array or tensor, optional
        Where the gradient goes; must not overlap dy.

    Returns
    -------
    dx : array or tensor
    """
    return _shuffle(view(dy, "dy"), groups, axis, out, "backward")


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


__all__ = ["concat", "reorder", "shuffle", "shuffle_backward", "weighted_sum"]
