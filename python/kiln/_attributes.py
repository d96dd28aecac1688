# SPDX-License-Identifier: Apache-2.0
"""Attributes of a primitive: scales, zero points, dropout, and post-ops."""

from collections import namedtuple
from ctypes import c_int64

import numpy as np

from . import _constants as c
from ._library import Handle, check
from ._post_ops import read_post_ops
from ._tensor import (NO_DESC, Desc, desc_handle, integer, require_dims, require_separate, require_type, scalar,
                      type_name, view)

#: What a primitive is made with: calls of the C interface as tuples, (FUNCTION, its parameters after the object),
#: of dnnl_primitive_attr_FUNCTION and of dnnl_post_ops_FUNCTION. The cache of primitives compares them.
Attributes = namedtuple("Attributes", "settings post_ops", defaults=((), ()))


class Dropout(namedtuple("Dropout", "probability seed offset mask", defaults=(0, None))):
    """Elements of a result become 0 at random, and the others are divided by ``1 - probability``.

    Attributes
    ----------
    probability : float
        From 0 to 1.
    seed : int
    offset : int
        Another one gives other random numbers. With 0 four neighbours are kept or dropped together.
    mask : array or tensor, optional
        uint8, of the result's shape: receives 1 where an element is kept, 0 elsewhere.

    Examples
    --------
    >>> import kiln, numpy as np
    >>> y = kiln.softmax(np.zeros((2, 512), np.float32), dropout=kiln.Dropout(0.5, seed=1, offset=1))
    >>> sorted(set(y.flat))
    [0.0, 0.00390625]
    """

    __slots__ = ()


class CallAttributes:
    """The attributes of one call.

    Parameters
    ----------
    y : View
        The result as the caller sees it.
    post_ops : sequence
    out : object
        What the caller passed for the result.
    fit : function
        From a tensor with as many axes as y to one with the axes of the primitive's result.

    Attributes
    ----------
    key : Attributes
    tensors : dict
        What the execution takes: views by execution argument.
    """

    def __init__(self, y, post_ops=(), out=None, fit=lambda tensor: tensor):
        self._y, self._fit, self._settings = y, fit, []
        self._post_ops, self.tensors = read_post_ops(post_ops, y, out, fit)

    @property
    def key(self):
        return Attributes(tuple(self._settings), self._post_ops)

    def set_fpmath(self, mode):
        if mode not in c.FPMATH:
            raise ValueError(f"fpmath is {mode!r}; it must be one of {', '.join(c.FPMATH)}")
        if mode != "strict":
            also_for_integers = 1
            self._settings.append(("set_fpmath_mode_v2", c.FPMATH[mode], also_for_integers))

    def add_scale(self, arg, scale, name, axes=None, has_groups=False):
        """Scales of an argument; None for none.

        Parameters
        ----------
        arg : int
        scale : number or array
            An array is aligned with the last of `axes`, as in NumPy.
        name : str
            The parameter's, for messages.
        axes : dict, optional
            Extents of the axes that scales may differ along, by number.
        has_groups : bool
            Whether a scale may serve several adjacent indices of an axis: it has fewer scales than indices.
        """
        if scale is not None:
            values = np.asarray(scale, np.float32)
            self._add_blocks("scales", arg, c.ATTR_SCALES, values, "f32", name, axes or {}, has_groups)

    def add_zero_point(self, arg, value, name, axes=None):
        """An integer, or an array of int8, uint8 or int32, whose values may serve blocks; None for none."""
        if value is None:
            return
        if np.ndim(value) == 0 or not axes:
            value = np.array(integer(value, name, bits=32), np.int32)
        value = np.asarray(value)
        if value.dtype not in (np.int32, np.int8, np.uint8):
            raise TypeError(f"{name} has dtype {value.dtype}; it must be int32, int8 or uint8")
        self._add_blocks("zero_points", arg, c.ATTR_ZERO_POINTS, value, type_name(value.dtype), name, axes or {}, True)

    def _add_blocks(self, what, arg, base, values, type_of_values, name, axes, has_groups):
        """Values of `type_of_values` that each serve a block of an argument, as `add_scale` says."""
        if values.size == 1:
            values = values.reshape(())
        counts = (1,) * (len(axes) - values.ndim) + values.shape
        fits = len(counts) == len(axes) and all(
            count in (1, extent) or (has_groups and count > 0 and extent % count == 0)
            for count, extent in zip(counts, axes.values()))
        if not fits:
            kind = "whose extents divide" if has_groups else "of shape"
            wanted = f", or an array {kind} {tuple(axes.values())}" if axes else ""
            raise ValueError(f"{name} has shape {values.shape}; it must be a number{wanted}")
        mask = sum(1 << axis for axis, count in zip(axes, counts) if count != 1)
        groups = tuple(extent // count if count > 1 else 1 for count, extent in zip(counts, axes.values()))
        default_type = "f32" if what == "scales" else "s32"
        if type_of_values != default_type or any(group > 1 for group in groups):
            self._settings.append((f"set_{what}", arg, mask, len(groups), groups, c.DATA_TYPES[type_of_values]))
        else:
            self._settings.append((f"set_{what}_mask", arg, mask))
        self.tensors[base | arg] = view(np.ascontiguousarray(values.reshape(-1)), name)

    def set_dropout(self, dropout):
        """A `Dropout`; None for none."""
        if dropout is None:
            return
        probability, seed, offset, mask = dropout
        if not 0 <= probability <= 1:
            raise ValueError(f"the probability of dropout is {probability!r}; it must be from 0 to 1")
        self.tensors[c.ATTR_DROPOUT_PROBABILITY] = scalar(probability, "f32")
        self.tensors[c.ATTR_DROPOUT_SEED] = scalar(integer(seed, "the seed of dropout", bits=64), "s64")
        self.tensors[c.ATTR_DROPOUT_OFFSET] = scalar(integer(offset, "the offset of dropout", bits=64), "s64")
        desc, has_offset, are_host_scalars = None, 1, 0
        if mask is not None:
            name = "the mask of dropout"
            mask = view(mask, name)
            require_dims(mask, self._y.dims, name)
            require_type(mask, "u8", name)
            if not mask.writable:
                raise ValueError(f"{name} is read-only")
            require_separate(self._y, {name: mask})
            mask = self._fit(mask)
            self.tensors[c.ATTR_DROPOUT_MASK], desc = mask, mask.desc
        self._settings.append(("set_dropout_v2", desc or NO_DESC, c.DATA_TYPES["s64"], has_offset,
                               are_host_scalars))


def _argument(value):
    """A parameter of a setting as an argument of the C function."""
    if isinstance(value, Desc):
        return desc_handle(value)
    return (c_int64 * len(value))(*value) if isinstance(value, tuple) else value


def attr_handle(attributes):
    """The library's object; None for default attributes."""
    if attributes == Attributes():
        return None
    attr = Handle("primitive_attr", "dnnl_primitive_attr_create")
    for function, *parameters in attributes.settings:
        check(f"dnnl_primitive_attr_{function}", attr, *map(_argument, parameters))
    if attributes.post_ops:
        chain = Handle("post_ops", "dnnl_post_ops_create")
        for function, *parameters in attributes.post_ops:
            check(f"dnnl_post_ops_{function}", chain, *map(_argument, parameters))
        check("dnnl_primitive_attr_set_post_ops", attr, chain)
    return attr


__all__ = ["Attributes", "CallAttributes", "Dropout", "attr_handle"]
