# SPDX-License-Identifier: Apache-2.0
"""Attributes of a primitive: scales, zero points, and post-ops, which are applied to its result.

Post-ops are a sequence of
    "relu", or ("relu", alpha, beta)    an elementwise function (`kiln.eltwise`), alpha and beta 0 by default
    ("add", tensor or number)           a binary operation (`kiln.binary`) with the result as its first operand;
                                        the tensor is broadcast to the result as in NumPy
    "sum", or ("sum", scale)            adds `scale`, by default 1, times what `out` was before
in the order in which they are applied."""

from collections import namedtuple

import numpy as np

from . import _constants as c
from ._library import Handle, check
from ._tensor import desc_handle, require_separate, view

#: What the cache of primitives knows of attributes: tuples of (execution argument, mask), and of post-ops
#: ("eltwise", algorithm, alpha, beta), ("binary", algorithm, Desc) or ("sum", scale).
Attributes = namedtuple("Attributes", "scales zero_points post_ops", defaults=((), (), ()))


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
        From an operand of a binary post-op with as many axes as y to what the primitive needs.
    """

    def __init__(self, y, post_ops=(), out=None, fit=None):
        self.tensors = {}  # arguments of the execution
        self._scales, self._zero_points, self._chain = [], [], []
        if isinstance(post_ops, str):
            raise TypeError(f"post_ops is {post_ops!r}; it must be a sequence, e.g. [{post_ops!r}]")
        for i, entry in enumerate(post_ops):
            name, *parameters = (entry,) if isinstance(entry, str) else entry
            if name in c.ELTWISE and len(parameters) <= 2:
                alpha, beta = (*map(float, parameters), 0.0, 0.0)[:2]
                self._chain.append(("eltwise", c.ELTWISE[name], alpha, beta))
            elif name in c.BINARY and len(parameters) == 1:
                self._append_binary(i, name, parameters[0], y, fit)
            elif name == "sum" and len(parameters) <= 1:
                if out is None:
                    raise ValueError(f"post_ops[{i}] is a sum, which reads out; pass out=")
                self._chain.append(("sum", *map(float, parameters or (1,))))
            else:
                raise ValueError(f"post_ops[{i}] is {entry!r}; it must be 'sum', ('sum', scale), the name "
                                 "of a function of kiln.eltwise with up to two numbers, or the name of "
                                 "an operation of kiln.binary with a tensor")

    def _append_binary(self, i, name, operand, y, fit):
        operand = view(operand, f"the operand of post_ops[{i}]")
        count = len(y.dims)
        if len(operand.dims) > count or any(
                dim not in (1, of_y) for dim, of_y in
                zip(reversed(operand.dims), reversed(y.dims))):
            raise ValueError(f"the operand of post_ops[{i}] has shape {operand.dims}; it must be one "
                             f"that is broadcast to {y.dims}")
        require_separate(y, {f"the operand of post_ops[{i}]": operand})
        operand = operand.with_axes(range(count - len(operand.dims)))
        operand = operand if fit is None else fit(operand)
        self._chain.append(("binary", c.BINARY[name], operand.desc))
        self.tensors[(c.ATTR_MULTIPLE_POST_OP_BASE * (i + 1)) | c.SRC_1] = operand

    def add_scale(self, arg, scale, name, extent=None, mask=0):
        """One number, or with `extent` as many with this mask; None for none."""
        if scale is None:
            return
        scale = np.asarray(scale, np.float32)
        if scale.size != 1 and scale.shape != (extent,):
            wanted = "a number" if extent is None else f"a number or a vector of {extent}"
            raise ValueError(f"{name} has shape {scale.shape}; it must be {wanted}")
        is_one = scale.size == 1
        self._scales.append((arg, 0 if is_one else mask))
        self.tensors[c.ATTR_SCALES | arg] = view(np.ascontiguousarray(scale.reshape(-1)), name)

    def add_zero_point(self, arg, value, name):
        """An integer; None for none."""
        if value is not None:
            self._zero_points.append((arg, 0))
            self.tensors[c.ATTR_ZERO_POINTS | arg] = view(np.array([value], np.int32), name)

    @property
    def key(self):
        """What a primitive is made with."""
        return Attributes(tuple(self._scales), tuple(self._zero_points), tuple(self._chain))


def attr_handle(attributes):
    """The library's object; None for default attributes."""
    if not any(attributes):
        return None
    attr = Handle("primitive_attr", "dnnl_primitive_attr_create")
    for arg, mask in attributes.scales:
        check("dnnl_primitive_attr_set_scales_mask", attr, arg, mask)
    for arg, mask in attributes.zero_points:
        check("dnnl_primitive_attr_set_zero_points_mask", attr, arg, mask)
    if attributes.post_ops:
        chain = Handle("post_ops", "dnnl_post_ops_create")
        for kind, *parameters in attributes.post_ops:
            if kind == "eltwise":
                check("dnnl_post_ops_append_eltwise", chain, *parameters)
            elif kind == "binary":
                check("dnnl_post_ops_append_binary", chain, parameters[0], desc_handle(parameters[1]))
            else:
                check("dnnl_post_ops_append_sum", chain, parameters[0], 0, 0)
        check("dnnl_primitive_attr_set_post_ops", attr, chain)
    return attr
