# SPDX-License-Identifier: Apache-2.0
"""Operations of several sources, and those that move data: sum, concatenation, shuffle, reorder."""

from . import _constants as c
from ._attributes import CallAttributes
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
    sources = _sources(tensors)
    scales = [1.0] * len(sources) if scales is None else [float(scale) for scale in scales]
    if len(scales) != len(sources):
        raise ValueError(f"there are {len(scales)} scales for {len(sources)} tensors")
    first = sources["tensors[0]"]
    for name, source in sources.items():
        require_dims(source, first.dims, name)
    y = output(out, first.dims, dtype, first)
    require_separate(y, sources, in_place=sources)
    descs = tuple(source.desc for source in sources.values())
    primitive("sum", engine, y.desc, len(sources), tuple(scales), descs).run(_arguments(sources, y))
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
    sources = _sources(tensors)
    first = sources["tensors[0]"]
    axis = tensor_axis(axis, first, "a tensor")
    before, behind = first.dims[:axis], first.dims[axis + 1:]
    for name, source in sources.items():
        require_type(source, first.type, name)
        require_dims(source, (*before, *source.dims[axis:axis + 1], *behind), name)
    extent = sum(source.dims[axis] for source in sources.values())
    y = output(out, (*before, extent, *behind), None, first)
    require_separate(y, sources)
    descs = tuple(source.desc for source in sources.values())
    primitive("concat", engine, y.desc, len(sources), axis, descs).run(_arguments(sources, y))
    return y.owner


def _sources(tensors):
    """Views of a sequence by their names in messages."""
    sources = {f"tensors[{i}]": view(tensor, f"tensors[{i}]") for i, tensor in enumerate(tensors)}
    if not sources:
        raise ValueError("there are no tensors")
    return sources


def _arguments(sources, y):
    return {c.DST: y, **{c.MULTIPLE_SRC + i: source for i, source in enumerate(sources.values())}}


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
    axis, size = _checked_groups(x, groups, axis, "x")
    y = output(out, x.dims, None, x)
    require_separate(y, {"x": x})
    primitive("shuffle_forward", engine, c.FORWARD_INFERENCE, x.desc, y.desc, axis,
              size).run({c.SRC: x, c.DST: y})
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
    dy = view(dy, "dy")
    axis, size = _checked_groups(dy, groups, axis, "dy")
    dx = output(out, dy.dims, None, dy)
    require_separate(dx, {"dy": dy})
    primitive("shuffle_backward", engine, dx.desc, dy.desc, axis, size,
              None).run({c.DIFF_DST: dy, c.DIFF_SRC: dx})
    return dx.owner


def _checked_groups(tensor, groups, axis, name):
    """The number of the axis, and the channels of a group."""
    axis, groups = tensor_axis(axis, tensor, name), integer(groups, "groups")
    extent = tensor.dims[axis]
    if groups < 1 or extent % groups != 0:
        raise ValueError(f"groups is {groups}; it must divide {extent}, the extent of the axis")
    return axis, max(1, extent // groups)


def reorder(x, dtype=None, *, out=None, src_scale=None, dst_scale=None, post_ops=()):
    """A copy with another data type, another order in memory (that of `out`), or both:
    ``y = convert(post_ops(src_scale * x) / dst_scale)``. Integers are rounded to nearest even and
    saturated.

    Parameters
    ----------
    x : array or tensor
    dtype : data type, optional
        Of the result, by default that of x. "int4" and "uint4" give `Packed`.
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
    attributes = CallAttributes(y, post_ops, out)
    attributes.add_scale(c.SRC, src_scale, "src_scale")
    attributes.add_scale(c.DST, dst_scale, "dst_scale")
    primitive("reorder", x.desc, engine, y.desc, engine,
              attributes=attributes.key).run({c.SRC: x, c.DST: y, **attributes.tensors})
    return y.owner


__all__ = ["concat", "reorder", "shuffle", "shuffle_backward", "weighted_sum"]
