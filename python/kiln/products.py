# SPDX-License-Identifier: Apache-2.0
"""Matrix products: matrix multiplication, and the inner product of a fully connected layer."""

import numpy as np

from . import _constants as c
from ._attributes import CallAttributes
from ._library import engine
from ._primitive import primitive
from ._tensor import empty, optional_view, output, require_dims, require_separate, view
from .normalization import Gradients


def _result_type(a, dtype, is_scaled):
    """By default that of a; of integers s32, or f32 where they are scaled."""
    if dtype is not None or a.type not in ("s8", "u8"):
        return dtype
    return "f32" if is_scaled else "s32"


def matmul(a, b, bias=None, *, a_scale=None, b_scale=None, y_scale=None, a_zero_point=None,
           b_zero_point=None, y_zero_point=None, post_ops=(), out=None, dtype=None, fpmath="strict",
           dropout=None):
    """``a @ b`` with what surrounds it in a network:
    ``y = convert(post_ops(a' @ b' + bias) / y_scale + y_zero_point)``, where a' and b' are
    ``scale * (element - zero point)``. Axes before the last two are broadcast as in NumPy.

    Parameters
    ----------
    a, b : array or tensor
        One type of float32, float16, bfloat16 and float64; or int8 and uint8; or b of int8, uint8 or 4 bits
        (`Packed`) with a of floating point, and an fpmath.
    bias : array or tensor, optional
        Broadcast to the result.
    a_scale, b_scale : float or array, optional
        An array is aligned with the last two axes, as in NumPy; its extents divide theirs, and a value serves a
        block: (columns,) of b, (rows, 1) of a, (groups, columns) of b, (rows, groups) of a.
    y_scale : float, optional
    a_zero_point, y_zero_point : int, optional
        Of int8 and uint8 tensors.
    b_zero_point : int or array, optional
        Of b of integers. An array of int32, int8 or uint8 is aligned as b_scale is.
    post_ops : sequence, optional
        What is applied to the result, in this order: ``"relu"`` or ``("relu", alpha, beta)``, a function
        of `eltwise`; ``("add", tensor)``, an operation of `binary`; ``("prelu", slopes)``, where slopes are
        broadcast as in NumPy; ``"sum"`` or ``("sum", scale)``, which adds what `out` was before.
    out : array or tensor, optional
        Where the result goes; must not overlap a or b.
    dtype : data type, optional
        Of the result, by default that of a; of integers int32, or float32 with scales.
    fpmath : str
        What data may be rounded to: strict, bf16, f16, tf32, any. With all but strict integers of b are
        converted to floating point, for a of floating point.
    dropout : Dropout, optional
        Of the products and bias.

    Returns
    -------
    y : array or tensor

    Examples
    --------
    >>> import kiln, numpy as np
    >>> kiln.matmul(np.eye(2, dtype=np.float32), np.float32([[1, -2], [3, -4]]), post_ops=["relu"])
    array([[1., 0.],
           [3., 0.]], dtype=float32)

    Weights of 4 bits whose columns have a scale for every two rows:

    >>> weights = kiln.Packed(np.uint8([[0x21], [0x43], [0x65], [0x87]]), "uint4")
    >>> scales = np.float32([[1, 10], [100, 1000]])
    >>> kiln.matmul(np.ones((1, 4), np.float32), weights, b_scale=scales, b_zero_point=1, fpmath="bf16")
    array([[ 1002., 12040.]], dtype=float32)
    """
    a, b, bias = view(a, "a"), view(b, "b"), optional_view(bias, "bias")
    if not a.dims or not b.dims:
        raise ValueError("a and b must have an axis at least; kiln.binary multiplies by a number")
    rows = a.with_axes([0]) if len(a.dims) == 1 else a
    columns = b.with_axes([1]) if len(b.dims) == 1 else b
    if rows.dims[-1] != columns.dims[-2]:
        raise ValueError(f"a has shape {a.dims} and b {b.dims}; the last extent of a must be the last "
                         "but one of b")
    try:
        batch = np.broadcast_shapes(rows.dims[:-2], columns.dims[:-2])
    except ValueError:
        raise ValueError(f"a has shape {a.dims} and b {b.dims}; their axes before the last two must be "
                         "broadcast to each other") from None
    full = (*batch, rows.dims[-2], columns.dims[-1])
    # A vector's axis is not in the result, but in the primitive's.
    dropped = [len(full) - 2] * (len(a.dims) == 1) + [len(full) - 1] * (len(b.dims) == 1)
    is_scaled = any(scale is not None for scale in (a_scale, b_scale, y_scale))
    y = output(out, tuple(dim for i, dim in enumerate(full) if i not in dropped),
               _result_type(a, dtype, is_scaled), a)
    require_separate(y, {"a": a, "b": b, "bias": bias})

    def aligned(tensor):
        """With the axes of the primitive's result."""
        return tensor.with_axes(range(len(full) - len(tensor.dims)))

    rows, columns, result = aligned(rows), aligned(columns), y.with_axes(dropped)
    matrix_axes = len(full) - 2, len(full) - 1
    attributes = CallAttributes(y, post_ops, out, lambda tensor: tensor.with_axes(dropped))
    attributes.set_fpmath(fpmath)
    attributes.set_dropout(dropout)
    attributes.add_scale(c.SRC, a_scale, "a_scale", dict(zip(matrix_axes, rows.dims[-2:])), has_groups=True)
    attributes.add_scale(c.WEIGHTS, b_scale, "b_scale", dict(zip(matrix_axes, columns.dims[-2:])),
                         has_groups=True)
    attributes.add_scale(c.DST, y_scale, "y_scale")
    attributes.add_zero_point(c.SRC, a_zero_point, "a_zero_point")
    attributes.add_zero_point(c.WEIGHTS, b_zero_point, "b_zero_point",
                              dict(zip(matrix_axes, columns.dims[-2:])))
    attributes.add_zero_point(c.DST, y_zero_point, "y_zero_point")
    if bias is not None:
        missing = len(y.dims) - len(bias.dims)
        if missing < 0:
            raise ValueError(f"bias has shape {bias.dims}; it must be broadcast to {y.dims}")
        bias = bias.with_axes(range(missing)).with_axes(dropped)
    primitive("matmul", engine, rows.desc, columns.desc, bias and bias.desc, result.desc,
              attributes=attributes.key).run(
                  {c.SRC: rows, c.WEIGHTS: columns, c.BIAS: bias, c.DST: result, **attributes.tensors})
    return y.owner


def _require_weight(x, weight):
    if len(x.dims) < 2 or len(weight.dims) != len(x.dims) or weight.dims[1:] != x.dims[1:]:
        raise ValueError(f"x has shape {x.dims} and weight {weight.dims}; they must be (samples, features...) "
                         "and (outputs, features...)")


def inner_product(x, weight, bias=None, *, x_scale=None, weight_scale=None, y_scale=None, post_ops=(),
                  out=None, dtype=None):
    """A fully connected layer: ``y = convert(post_ops(x' @ weight'.T + bias) / y_scale)``, where x' and
    weight' are multiplied by their scales and have all axes but the first as one.

    Parameters
    ----------
    x : array or tensor
        (samples, features...), of 2 to 5 axes.
    weight : array or tensor
        (outputs, features...). One type of float32, float16, bfloat16, float64 with x; or int8 with x
        of int8 or uint8.
    bias : array or tensor, optional
        (outputs,)
    x_scale, y_scale : float, optional
        Of int8 and uint8 data.
    weight_scale : float or array, optional
        One number, or one for each output.
    post_ops, dtype
        As in `matmul`.
    out : array or tensor, optional
        Where the result, (samples, outputs), goes; must not overlap x or weight.

    Returns
    -------
    y : array or tensor
    """
    x, weight, bias = view(x, "x"), view(weight, "weight"), optional_view(bias, "bias")
    _require_weight(x, weight)
    outputs = weight.dims[0]
    require_dims(bias, (outputs,), "bias")
    is_scaled = any(scale is not None for scale in (x_scale, weight_scale, y_scale))
    y = output(out, (x.dims[0], outputs), _result_type(x, dtype, is_scaled), x)
    require_separate(y, {"x": x, "weight": weight, "bias": bias})
    attributes = CallAttributes(y, post_ops, out)
    attributes.add_scale(c.SRC, x_scale, "x_scale")
    attributes.add_scale(c.WEIGHTS, weight_scale, "weight_scale", {0: outputs})
    attributes.add_scale(c.DST, y_scale, "y_scale")
    primitive("inner_product_forward", engine, c.FORWARD_INFERENCE, x.desc, weight.desc,
              bias and bias.desc, y.desc, attributes=attributes.key).run(
                  {c.SRC: x, c.WEIGHTS: weight, c.BIAS: bias, c.DST: y, **attributes.tensors})
    return y.owner


def inner_product_backward(dy, x, weight, *, has_bias=True):
    """The gradients of `inner_product`.

    Parameters
    ----------
    dy : array or tensor
        The gradient of the result, (samples, outputs).
    x, weight
        As in `inner_product`; floating point.
    has_bias : bool
        Whether the gradient of a bias is computed.

    Returns
    -------
    Gradients
        ``x``, ``weight`` and ``bias`` (None without bias).
    """
    dy, x, weight = view(dy, "dy"), view(x, "x"), view(weight, "weight")
    _require_weight(x, weight)
    require_dims(dy, (x.dims[0], weight.dims[0]), "dy")
    dx, dweight = empty(x.dims, x.type, x), empty(weight.dims, weight.type, weight)
    dbias = empty((weight.dims[0],), weight.type, weight) if has_bias else None
    primitive("inner_product_backward_data", engine, dx.desc, weight.desc, dy.desc,
              None).run({c.WEIGHTS: weight, c.DIFF_DST: dy, c.DIFF_SRC: dx})
    primitive("inner_product_backward_weights", engine, x.desc, dweight.desc, dbias and dbias.desc,
              dy.desc, None).run({c.SRC: x, c.DIFF_DST: dy, c.DIFF_WEIGHTS: dweight,
                                  c.DIFF_BIAS: dbias})
    return Gradients(dx.owner, dweight.owner, dbias and dbias.owner)


__all__ = ["inner_product", "inner_product_backward", "matmul"]
