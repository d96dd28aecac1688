# SPDX-License-Identifier: Apache-2.0
"""Post-ops, which are applied to the result of an operation in their order:

    "relu", or ("relu", alpha, beta)    an elementwise function with its parameters (`kiln.eltwise`)
    ("add", tensor or number)           a binary operation (`kiln.binary`) with the result as its first operand;
                                        the tensor is broadcast to the result as in NumPy
    ("prelu", slopes)                   what is not positive is multiplied by a slope; slopes are float32 and
                                        broadcast to the result as in NumPy
    "sum", or ("sum", scale)            adds `scale`, by default 1, times what `out` was before
"""

import numpy as np

from . import _constants as c
from ._tensor import require_separate, require_type, view


def eltwise_parameters(name, alpha=None, beta=None):
    """alpha and beta of an elementwise function as floats; those that are None by their defaults."""
    defaults = c.ELTWISE_PARAMETERS.get(name, (0., 0.))
    values = []
    for value, default, which in zip((alpha, beta), defaults, ("alpha", "beta")):
        if value is None and default is None:
            raise TypeError(f"{name} needs {which}")
        values.append(default if value is None else float(value))
    return values


def read_post_ops(entries, y, out, fit):
    """The chain of post-ops, as calls of the C interface: (FUNCTION in dnnl_post_ops_FUNCTION, its parameters);
    and the tensors that they read, by execution argument. Parameters are those of `CallAttributes`."""
    if isinstance(entries, str) or not np.iterable(entries):
        raise TypeError(f"post_ops is {entries!r}; it must be a sequence, e.g. ['relu']")
    chain, tensors = [], {}
    for i, entry in enumerate(entries):
        place, arg = f"post_ops[{i}]", c.ATTR_MULTIPLE_POST_OP_BASE * (i + 1)
        name, *parameters = entry if isinstance(entry, (tuple, list)) and entry else (entry,)
        kind = _kind_of(name, parameters)
        if kind == "eltwise":
            try:
                alpha_and_beta = eltwise_parameters(name, *parameters)
            except TypeError as error:
                raise TypeError(f"{place}: {error}") from None
            chain.append(("append_eltwise", c.ELTWISE[name], *alpha_and_beta))
        elif kind == "binary":
            operand = _operand(parameters[0], place, y, fit)
            chain.append(("append_binary", c.BINARY[name], operand.desc))
            tensors[arg | c.SRC_1] = operand
        elif kind == "prelu":
            slopes = _channels_last(_operand(parameters[0], place, y, fit), place)
            mask = sum(1 << axis for axis, dim in enumerate(slopes.dims) if dim != 1)
            chain.append(("append_prelu", mask))
            tensors[arg | c.WEIGHTS] = slopes
        elif kind == "sum":
            if out is None:
                raise ValueError(f"{place} is a sum, which reads out; pass out=")
            scale, zero_point, own_type = float(parameters[0] if parameters else 1), 0, 0
            chain.append(("append_sum", scale, zero_point, own_type))
        else:
            raise ValueError(f"{place} is {entry!r}; it must be 'sum', ('sum', scale), ('prelu', slopes), "
                             "the name of a function of kiln.eltwise with up to two numbers, or the name of "
                             "an operation of kiln.binary with a tensor")
    return tuple(chain), tensors


def _kind_of(name, parameters):
    """The kind of a post-op; None for what is none."""
    if not isinstance(name, str):
        return None
    count, are_numbers = len(parameters), all(isinstance(p, (int, float, np.number)) for p in parameters)
    if name in c.ELTWISE:
        return "eltwise" if count <= 2 and are_numbers else None
    if name in c.BINARY:
        return "binary" if count == 1 and name != "select" else None
    if name == "prelu":
        return "prelu" if count == 1 else None
    return "sum" if name == "sum" and count <= 1 and are_numbers else None


def _operand(operand, place, y, fit):
    """What a post-op reads, with the axes that the primitive's result has."""
    name = f"the operand of {place}"
    operand = view(operand, name)
    missing = len(y.dims) - len(operand.dims)
    if missing < 0 or any(dim not in (1, of_y) for dim, of_y in zip(operand.dims, y.dims[missing:])):
        raise ValueError(f"{name} has shape {operand.dims}; it must be one that is broadcast to {y.dims}")
    require_separate(y, {name: operand})
    return fit(operand.with_axes(range(missing)))


def _channels_last(slopes, place):
    """A copy of slopes that lies as the library wants it: axis 1 innermost, the others in their order."""
    name = f"the operand of {place}"
    require_type(slopes, "f32", name)
    count = len(slopes.dims)
    order = [0, *range(2, count), 1] if count > 1 else list(range(count))
    dense = np.ascontiguousarray(slopes.as_bytes().view(np.float32).reshape(slopes.dims).transpose(order))
    return view(dense.reshape([slopes.dims[axis] for axis in order]).transpose(np.argsort(order)), name)


__all__ = ["eltwise_parameters", "read_post_ops"]
