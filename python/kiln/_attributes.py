# SPDX-License-Identifier: Apache-2.0
"""Attributes of a primitive: scales, zero points, and post-ops, which are applied to its result.

Post-ops are a sequence of
    "relu", or ("relu", alpha, beta)    an elementwise function with its parameters (`kiln.eltwise`)
    ("add", tensor or number)           a binary operation (`kiln.binary`) with the result as its first operand;
                                        the tensor is broadcast to the result as in NumPy
    ("prelu", slopes)                   what is not positive is multiplied by a slope; slopes are float32 and
                                        broadcast to the result as in NumPy
    "sum", or ("sum", scale)            adds `scale`, by default 1, times what `out` was before
in the order in which they are applied."""

from collections import namedtuple
from ctypes import c_int64

import numpy as np

from . import _constants as c
from ._library import Handle, check
from ._tensor import desc_handle, integer, require_separate, require_type, view


def eltwise_parameters(name, alpha=None, beta=None):
    """alpha and beta of an elementwise function as floats; those that are None by their defaults."""
    defaults = c.ELTWISE_PARAMETERS.get(name, (0., 0.))
    values = []
    for value, default, which in zip((alpha, beta), defaults, ("alpha", "beta")):
        if value is None and default is None:
            raise TypeError(f"{name} needs {which}")
        values.append(default if value is None else float(value))
    return values


#: What the cache of primitives knows of attributes: tuples of (execution argument, mask, group), and of
#: post-ops ("eltwise", algorithm, alpha, beta), ("binary", algorithm, Desc), ("prelu", mask) or ("sum", scale).
#: A group is how many elements along K and of columns share a scale, or None.
Attributes = namedtuple("Attributes", "scales zero_points post_ops fpmath", defaults=((), (), (), "strict"))


class Given:
    """The attributes of a call.

    Parameters
    ----------
    y : View
        The result as the caller sees it.
    post_ops : sequence
    out : object
        What the caller passed for the result.
    fit : function, optional
        From an operand of a post-op with as many axes as y to what the primitive needs.
    fpmath : str
    """

    def __init__(self, y, post_ops=(), out=None, fit=None, fpmath="strict"):
        if fpmath not in c.FPMATH:
            raise ValueError(f"fpmath is {fpmath!r}; it must be one of {', '.join(c.FPMATH)}")
        self.tensors = {}  # arguments of the execution
        self._fpmath = fpmath
        self._scales, self._zero_points, self._chain = [], [], []
        if isinstance(post_ops, str) or not np.iterable(post_ops):
            raise TypeError(f"post_ops is {post_ops!r}; it must be a sequence, e.g. ['relu']")
        for i, entry in enumerate(post_ops):
            self._append(i, entry, y, out, fit)

    def _append(self, i, entry, y, out, fit):
        name, *parameters = entry if isinstance(entry, (tuple, list)) and entry else (entry,)
        is_numbers = all(isinstance(p, (int, float, np.number)) for p in parameters)
        arg = c.ATTR_MULTIPLE_POST_OP_BASE * (i + 1)
        if not isinstance(name, str):
            name = ""
        if name in c.ELTWISE and len(parameters) <= 2 and is_numbers:
            try:
                self._chain.append(("eltwise", c.ELTWISE[name], *eltwise_parameters(name, *parameters)))
            except TypeError as error:
                raise TypeError(f"post_ops[{i}]: {error}") from None
        elif name in c.BINARY and name != "select" and len(parameters) == 1:
            operand = self._operand(i, parameters[0], y, fit)
            self._chain.append(("binary", c.BINARY[name], operand.desc))
            self.tensors[arg | c.SRC_1] = operand
        elif name == "prelu" and len(parameters) == 1:
            slopes = _channels_last(self._operand(i, parameters[0], y, fit), f"the operand of post_ops[{i}]")
            self._chain.append(("prelu", sum(1 << axis for axis, dim in enumerate(slopes.dims) if dim != 1)))
            self.tensors[arg | c.WEIGHTS] = slopes
        elif name == "sum" and len(parameters) <= 1 and is_numbers:
            if out is None:
                raise ValueError(f"post_ops[{i}] is a sum, which reads out; pass out=")
            self._chain.append(("sum", *map(float, parameters or (1,))))
        else:
            raise ValueError(f"post_ops[{i}] is {entry!r}; it must be 'sum', ('sum', scale), ('prelu', slopes), "
                             "the name of a function of kiln.eltwise with up to two numbers, or the name of "
                             "an operation of kiln.binary with a tensor")

    @staticmethod
    def _operand(i, operand, y, fit):
        operand = view(operand, f"the operand of post_ops[{i}]")
        count = len(y.dims)
        if len(operand.dims) > count or any(
                dim not in (1, of_y) for dim, of_y in
                zip(reversed(operand.dims), reversed(y.dims))):
            raise ValueError(f"the operand of post_ops[{i}] has shape {operand.dims}; it must be one "
                             f"that is broadcast to {y.dims}")
        require_separate(y, {f"the operand of post_ops[{i}]": operand})
        operand = operand.with_axes(range(count - len(operand.dims)))
        return operand if fit is None else fit(operand)

    def add_scale(self, arg, scale, name, extent=None, mask=0, k=None):
        """One number, or with `extent` as many with this mask; with `k` also a matrix with a row for each
        group of adjacent indices of an axis of this extent, the last axis but one. None for none."""
        if scale is None:
            return
        scale, group = np.asarray(scale, np.float32), None
        is_grouped = (k is not None and scale.ndim == 2 and scale.shape[1] == extent and scale.shape[0] > 0
                      and k % scale.shape[0] == 0)
        if is_grouped:
            group, mask = (k // scale.shape[0], 1), mask | mask >> 1
        elif scale.size == 1:
            mask = 0
        elif scale.shape != (extent,):
            wanted = "a number" if extent is None else f"a number or a vector of {extent}"
            wanted += "" if k is None else f", or a matrix of {extent} columns whose rows divide {k}"
            raise ValueError(f"{name} has shape {scale.shape}; it must be {wanted}")
        self._scales.append((arg, mask, group))
        self.tensors[c.ATTR_SCALES | arg] = view(np.ascontiguousarray(scale.reshape(-1)), name)

    def add_zero_point(self, arg, value, name):
        """An integer; None for none."""
        if value is None:
            return
        value = integer(value, name)
        if not -2**31 <= value < 2**31:
            raise ValueError(f"{name} is {value}; it must fit in 32 bits")
        self._zero_points.append((arg, 0))
        self.tensors[c.ATTR_ZERO_POINTS | arg] = view(np.array([value], np.int32), name)

    @property
    def key(self):
        """What a primitive is made with."""
        return Attributes(tuple(self._scales), tuple(self._zero_points), tuple(self._chain), self._fpmath)


def _channels_last(slopes, name):
    """A copy of slopes that lies as the library wants it: axis 1 innermost, the others in their order."""
    require_type(slopes, "f32", name)
    count = len(slopes.dims)
    order = [0, *range(2, count), 1] if count > 1 else list(range(count))
    dense = np.ascontiguousarray(slopes.as_bytes().view(np.float32).reshape(slopes.dims).transpose(order))
    return view(dense.reshape([slopes.dims[axis] for axis in order]).transpose(np.argsort(order)), name)


def attr_handle(attributes):
    """The library's object; None for default attributes."""
    if attributes == Attributes():
        return None
    attr = Handle("primitive_attr", "dnnl_primitive_attr_create")
    for arg, mask, group in attributes.scales:
        if group is None:
            check("dnnl_primitive_attr_set_scales_mask", attr, arg, mask)
        else:
            check("dnnl_primitive_attr_set_scales", attr, arg, mask, len(group),
                  (c_int64 * len(group))(*group), c.DATA_TYPES["f32"])
    for arg, mask in attributes.zero_points:
        check("dnnl_primitive_attr_set_zero_points_mask", attr, arg, mask)
    if attributes.fpmath != "strict":
        check("dnnl_primitive_attr_set_fpmath_mode_v2", attr, c.FPMATH[attributes.fpmath], 1)
    if attributes.post_ops:
        chain = Handle("post_ops", "dnnl_post_ops_create")
        for kind, *parameters in attributes.post_ops:
            if kind == "eltwise":
                check("dnnl_post_ops_append_eltwise", chain, *parameters)
            elif kind == "binary":
                check("dnnl_post_ops_append_binary", chain, parameters[0], desc_handle(parameters[1]))
            elif kind == "prelu":
                check("dnnl_post_ops_append_prelu", chain, *parameters)
            else:
                check("dnnl_post_ops_append_sum", chain, parameters[0], 0, 0)
        check("dnnl_primitive_attr_set_post_ops", attr, chain)
    return attr
