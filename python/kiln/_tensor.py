# SPDX-License-Identifier: Apache-2.0
"""Arrays of NumPy, tensors of PyTorch and of whatever else speaks DLPack, as the library sees them:
an address, extents, strides and a data type. Nothing is copied."""

import functools
import math
import numbers
import operator
import sys
from collections import namedtuple
from ctypes import c_int64

import numpy as np

from . import _dlpack
from ._constants import DATA_TYPES
from ._dlpack import row_major
from ._library import Handle
from ._packed import Packed

#: A memory descriptor: extents, strides in elements, short name of the data type.
Desc = namedtuple("Desc", "dims strides type")
#: The zero descriptor, which stands for no tensor.
NO_DESC = Desc((), (), None)

_NUMPY_TYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "s8": "int8", "u8": "uint8",
                "s32": "int32", "bf16": "bfloat16"}
_PACKED_TYPES = {"s4": "int4", "u4": "uint4"}
_BITS = {"f16": 16, "bf16": 16, "f32": 32, "s32": 32, "f64": 64, "s8": 8, "u8": 8, "s64": 64, "s4": 4, "u4": 4}
_SHORT_NAMES = {name: short for short, name in _NUMPY_TYPES.items()}


class View:
    """A tensor in host memory.

    Attributes
    ----------
    desc : Desc
    address : int
    owner : object
        What the caller passed or gets; it keeps the memory alive.
    """

    def __init__(self, owner, address, dims, strides, type_name, writable=True, keep=None):
        self.owner, self.address, self.writable, self._keep = owner, address, writable, keep
        self.dims, self.strides, self.type = tuple(dims), _tidy(dims, strides), type_name
        self.desc = Desc(self.dims, self.strides, type_name)

    @property
    def bounds(self):
        """The first address and the one behind the last element; twice 0 if there are no elements."""
        count = 1
        for dim, stride in zip(self.dims, self.strides):
            if dim == 0:
                return 0, 0
            count += (dim - 1) * stride
        return self.address, self.address + count * _BITS[self.type] // 8

    def as_bytes(self):
        """An array of NumPy with an item of as many bytes as an element has in the place of each; of
        elements of 4 bits, with an item for two."""
        bits, dims, strides = _BITS[self.type], list(self.dims), list(self.strides)
        if bits < 8: # a byte is an item
            axis = strides.index(1)
            dims[axis], strides[axis] = dims[axis] * bits // 8, 8 // bits
        return np.asarray(_Interface({
            "version": 3, "shape": tuple(dims), "typestr": f"|V{max(1, bits // 8)}",
            "data": (self.address, True), "strides": tuple(stride * bits // 8 for stride in strides)}))

    def over(self, dims, strides):
        """The same memory with other axes."""
        return View(self.owner, self.address, dims, strides, self.type, self.writable, self._keep)

    def with_axes(self, axes):
        """The same with axes of extent 1 at these places of the result."""
        dims, strides = list(self.dims), list(self.strides)
        for axis in sorted(axes):
            dims.insert(axis, 1)
            strides.insert(axis, 1)
        return self.over(dims, strides)

    def joined(self, count, name):
        """The last `count` axes as one."""
        if count == 1:
            return self
        for i in range(len(self.dims) - count, len(self.dims) - 1):
            if self.dims[i] != 1 and self.strides[i] != self.strides[i + 1] * self.dims[i + 1]:
                raise ValueError(f"the last {count} axes of {name} are not one run in memory (strides "
                                 f"{self.strides}, shape {self.dims}); pass a contiguous copy")
        first = len(self.dims) - count
        return self.over((*self.dims[:first], math.prod(self.dims[first:])),
                         (*self.strides[:first], self.strides[-1]))


class _Interface:
    """An object with NumPy's array interface."""

    def __init__(self, interface):
        self.__array_interface__ = interface


def _tidy(dims, strides):
    """The strides, where those that mean nothing (axes of extent 1, no elements) are as in a dense
    tensor."""
    if 0 in dims:
        return row_major(dims)
    tidied, inner = [], 1
    for dim, stride in zip(reversed(dims), reversed(strides)):
        tidied.append(inner if dim == 1 else stride)
        inner = dim * tidied[-1]
    return tuple(reversed(tidied))


@functools.lru_cache(maxsize=64)
def _short_type(dtype):
    return _SHORT_NAMES.get(dtype.name) if dtype.isnative else None


def _of_numpy(array, name):
    type_name = _short_type(array.dtype)
    if type_name is None:
        raise TypeError(f"{name} has dtype {array.dtype}; it must be one of "
                        f"{', '.join(_NUMPY_TYPES.values())} in the machine's byte order")
    size = array.dtype.itemsize
    for dim, stride in zip(array.shape, array.strides):
        if dim > 1 and (stride < 0 or stride % size != 0):
            raise ValueError(f"{name} has strides of {array.strides} bytes; they must be multiples of "
                             f"the element's size, {size}, and not negative")
    return View(array, array.__array_interface__["data"][0], array.shape, [s // size for s in array.strides],
                type_name, array.flags.writeable)


def _of_packed(packed, name):
    if packed.dtype not in _PACKED_TYPES.values():
        raise TypeError(f"{name} is packed as {packed.dtype!r}; it must be one of "
                        f"{', '.join(_PACKED_TYPES.values())}")
    data = view(packed.data, name)
    if data.type not in ("u8", "s8"):
        raise TypeError(f"{name} is packed in elements of {data.type}; they must be bytes, uint8 or int8")
    axis = tensor_axis(packed.axis, data, name)
    if data.dims[axis] > 1 and data.strides[axis] != 1:
        raise ValueError(f"{name} has strides of {data.strides} bytes; its packed axis, {axis}, must have 1")
    dims, strides = list(data.dims), [stride * 2 for stride in data.strides]
    dims[axis], strides[axis] = dims[axis] * 2, 1
    return View(packed, data.address, dims, strides, type_name(packed.dtype), data.writable, keep=data)


def _is_torch(tensor):
    return "torch" in sys.modules and isinstance(tensor, sys.modules["torch"].Tensor)


def view(tensor, name):
    """Describes what a caller passed; `name` is the parameter's, for messages."""
    if isinstance(tensor, View):
        return tensor
    if isinstance(tensor, Packed):
        return _of_packed(tensor, name)
    if isinstance(tensor, numbers.Number):
        tensor = np.asarray(tensor, dtype=np.float32)
    if isinstance(tensor, np.ndarray):
        return _of_numpy(tensor, name)
    if not hasattr(tensor, "__dlpack__"):
        raise TypeError(f"{name} is a {type(tensor).__name__}; it must be a NumPy array or a tensor "
                        "with __dlpack__")
    try:
        shared = tensor.detach() if _is_torch(tensor) else tensor
        capsule, *described = _dlpack.read(shared)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    return View(tensor, *described, keep=capsule)


def optional_view(tensor, name):
    """The same; None for None."""
    return None if tensor is None else view(tensor, name)


def type_name(dtype):
    """The short name of a data type: of "bf16", "float32", "int4", `numpy.int8` or `torch.bfloat16`."""
    text = str(dtype)
    if text in _BITS:
        return text
    for short, name in _PACKED_TYPES.items():
        if text == name:
            return short
    text = text.split(".")[-1]
    if text in _SHORT_NAMES:
        return _SHORT_NAMES[text]
    try:
        return _SHORT_NAMES[np.dtype(dtype).name]
    except (TypeError, KeyError):
        raise TypeError(f"dtype is {dtype!r}; it must be one of "
                        f"{', '.join([*_NUMPY_TYPES.values(), *_PACKED_TYPES.values()])}") from None


def _numpy_type(short):
    try:
        return np.dtype(_NUMPY_TYPES[short])
    except TypeError:
        raise TypeError("NumPy has no bfloat16 here; pass dtype= of another type, or an out= that "
                        "has it") from None


def empty(dims, short_type, model):
    """A new tensor: of PyTorch if `model`'s owner is one, else an array of NumPy, which is `Packed` where elements
    have 4 bits. But for `Packed` it has the model's order of axes in memory if it has the model's extents."""
    dims = tuple(dims)
    if short_type in _PACKED_TYPES:
        if not dims or dims[-1] % 2:
            raise ValueError(f"the result has shape {dims}; of {_PACKED_TYPES[short_type]} its last extent must be "
                             "even")
        data = np.empty((*dims[:-1], dims[-1] // 2), np.uint8)
        return view(Packed(data, _PACKED_TYPES[short_type]), "a new tensor")
    if _is_torch(model.owner):
        torch = sys.modules["torch"]
        dtype = getattr(torch, _NUMPY_TYPES[short_type])
        owner = model.owner.detach()
        is_alike = tuple(owner.shape) == dims
        made = torch.empty_like(owner, dtype=dtype) if is_alike else torch.empty(dims, dtype=dtype)
    else:
        dtype = _numpy_type(short_type)
        is_alike = isinstance(model.owner, np.ndarray) and model.owner.shape == dims
        made = (np.empty_like(model.owner, dtype=dtype, subok=False) if is_alike
                else np.empty(dims, dtype))
    return view(made, "a new tensor")


def output(out, dims, dtype, model, name="out"):
    """The caller's `out`, checked, or a new tensor of `dtype`, by default the model's type."""
    if out is None:
        return empty(dims, model.type if dtype is None else type_name(dtype), model)
    made = view(out, name)
    require_dims(made, dims, name)
    if not made.writable:
        raise ValueError(f"{name} is read-only")
    if dtype is not None and made.type != type_name(dtype):
        raise TypeError(f"{name} has elements of {made.type}, dtype says {type_name(dtype)}")
    return made


def require_dims(tensor, dims, name):
    """Raises ValueError unless the tensor has these extents."""
    if tensor is not None and tensor.dims != tuple(dims):
        raise ValueError(f"{name} has shape {tensor.dims}; it must be {tuple(dims)}")


def require_type(tensor, short_type, name):
    """Raises TypeError unless the tensor has this type."""
    if tensor is not None and tensor.type != short_type:
        raise TypeError(f"{name} has elements of {tensor.type}; it must be {short_type}")


def integer(value, name, bits=None):
    """The value as an int; TypeError if it is no integer, ValueError if it has more bits."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be an integer") from None
    if bits is not None and not -2**(bits - 1) <= value < 2**(bits - 1):
        raise ValueError(f"{name} is {value}; it must fit in {bits} bits")
    return value


def scalar(value, short_type):
    """A tensor of one element."""
    array = np.array([value], {"f32": np.float32, "s32": np.int32, "s64": np.int64}[short_type])
    return View(array, array.ctypes.data, (1,), (1,), short_type)


def tensor_axis(axis, tensor, name="x"):
    """The number of an axis of a tensor, counted from the front; ValueError if there is none."""
    axis, count = integer(axis, "axis"), len(tensor.dims)
    if not -count <= axis < count:
        raise ValueError(f"axis is {axis}; {name} has {count} axes")
    return axis % count


def require_separate(out, read, in_place=()):
    """Raises ValueError if `out` shares memory with what an operation reads.

    Parameters
    ----------
    out : View
    read : dict
        Views, or None, by the parameter's name.
    in_place : sequence of str
        The names of those that `out` may be itself: the same address, type, shape and strides.
    """
    begin, end = out.bounds
    for name, tensor in read.items():
        if tensor is None:
            continue
        first, last = tensor.bounds
        if last <= begin or end <= first:
            continue
        is_same = out.address == tensor.address and out.desc == tensor.desc
        if (is_same and name in in_place) or not (is_same or _share_elements(out, tensor)):
            continue
        if name in in_place:
            raise ValueError(f"out overlaps {name}; it must lie elsewhere, or be {name} itself: the same "
                             "address, type, shape and strides")
        raise ValueError(f"out overlaps {name}; it must lie elsewhere")


def _share_elements(a, b):
    """Whether two views of overlapping bounds have a byte in common. Exact, except that a question that
    takes very long to answer is answered with no."""
    try:
        return np.shares_memory(a.as_bytes(), b.as_bytes(), max_work=10**6)
    except getattr(np, "exceptions", np).TooHardError:
        return False


@functools.lru_cache(maxsize=1024)
def desc_handle(desc):
    """The library's descriptor. A tensor without axes is one of a single element."""
    if desc == NO_DESC:
        return Handle("memory_desc", "dnnl_memory_desc_create_with_strides", 0, None, 0, None)
    dims, strides = desc.dims or (1,), desc.strides or (1,)
    array = c_int64 * len(dims)
    return Handle("memory_desc", "dnnl_memory_desc_create_with_strides", len(dims), array(*dims),
                  DATA_TYPES[desc.type], array(*strides))


__all__ = ["Desc", "NO_DESC", "View", "desc_handle", "empty", "integer", "optional_view", "output",
           "require_dims", "require_separate", "require_type", "row_major", "scalar", "tensor_axis",
           "type_name", "view"]
