# SPDX-License-Identifier: Apache-2.0
"""Reads tensors of other libraries by the DLPack protocol (version 0: a capsule named "dltensor")."""

import ctypes
from ctypes import POINTER, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p


class _DataType(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32),
                ("ndim", c_int32), ("dtype", _DataType), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


# By DLPack's code (0 signed integer, 1 unsigned, 2 float, 4 bfloat) and the number of bits.
_TYPES = {(0, 8): "s8", (1, 8): "u8", (0, 32): "s32", (2, 16): "f16", (4, 16): "bf16",
          (2, 32): "f32", (2, 64): "f64"}
_CPU = 1

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


def read(tensor):
    """Describes a tensor without copying it.

    Returns
    -------
    capsule : object
        Keeps the memory alive. Nobody takes the tensor out of the capsule, so the capsule's end
        releases it.
    address : int
    dims, strides : tuple of int
        In elements.
    type_name : str
    """
    device_type, _ = tensor.__dlpack_device__()
    if device_type != _CPU:
        raise TypeError(f"the tensor lies on a device of DLPack's type {device_type}; it must lie in "
                        "the memory of the CPU")
    capsule = tensor.__dlpack__()
    described = _Tensor.from_address(_pointer_of(capsule, b"dltensor"))
    code, bits = described.dtype.code, described.dtype.bits
    type_name = _TYPES.get((code, bits)) if described.dtype.lanes == 1 else None
    if type_name is None:
        raise TypeError(f"elements of DLPack's type code {code} with {bits} bits; it must be one of "
                        f"{', '.join(sorted(_TYPES.values()))}")
    dims = tuple(described.shape[i] for i in range(described.ndim))
    if described.strides:
        strides = tuple(described.strides[i] for i in range(described.ndim))
    else:
        strides = row_major(dims)
    return capsule, (described.data or 0) + described.byte_offset, dims, strides, type_name


def row_major(dims):
    """The strides of a dense tensor whose last axis is innermost."""
    strides, stride = [], 1
    for dim in reversed(dims):
        strides.append(stride)
        stride *= max(dim, 1)
    return tuple(reversed(strides))
