# SPDX-License-Identifier: Apache-2.0
"""The C library: where it is, the constants of its interface, and errors as exceptions."""

import ctypes
import os
import threading
from ctypes import byref, c_char_p, c_float, c_int, c_int64, c_size_t, c_uint, c_void_p

from ._constants import STATUS_NAMES


class KilnError(RuntimeError):
    """A call of the library that failed.

    Attributes
    ----------
    status : str
        The status of the C interface, e.g. ``"unimplemented"``.
    reasons : list of str
        Why, as the library says it: what was got and what would be right, or for each implementation
        why it refused (``"reorder jit:rows: ..."``). Empty where the library does not say.
    """

    def __init__(self, call, status, reasons):
        self.status = STATUS_NAMES.get(status, str(status))
        self.reasons = reasons
        why = "; ".join(reasons) if reasons else "ONEDNN_VERBOSE=all prints the reason"
        super().__init__(f"{call}: {self.status}: {why}")


class InvalidArgumentsError(KilnError, ValueError):
    """The arguments contradict each other or are out of range."""


class UnimplementedError(KilnError, NotImplementedError):
    """No implementation takes this problem."""


class OutOfMemoryError(KilnError, MemoryError):
    """Memory has run out."""


_ERRORS = {1: OutOfMemoryError, 2: InvalidArgumentsError, 3: UnimplementedError}


class ExecArg(ctypes.Structure):
    """`dnnl_exec_arg_t`: an argument of an execution."""

    _fields_ = [("arg", c_int), ("memory", c_void_p)]


_OBJECT = c_void_p  # a handle, or a pointer to one
# Types of the arguments of each function that is used. A float or a 64-bit integer must be declared;
# ctypes would pass an int.
_PROTOTYPES = {
    "dnnl_engine_create": [_OBJECT, c_int, c_size_t],
    "dnnl_stream_create": [_OBJECT, c_void_p, c_uint],
    "dnnl_stream_wait": [c_void_p],
    "dnnl_stream_destroy": [c_void_p],
    "dnnl_memory_desc_create_with_strides": [_OBJECT, c_int, c_void_p, c_int, c_void_p],
    "dnnl_memory_desc_reshape": [_OBJECT, c_void_p, c_int, c_void_p],
    "dnnl_memory_desc_destroy": [c_void_p],
    "dnnl_memory_create": [_OBJECT, c_void_p, c_void_p, c_void_p],
    "dnnl_memory_destroy": [c_void_p],
    "dnnl_primitive_attr_create": [_OBJECT],
    "dnnl_primitive_attr_destroy": [c_void_p],
    "dnnl_primitive_attr_set_scales_mask": [c_void_p, c_int, c_int],
    "dnnl_primitive_attr_set_scales": [c_void_p, c_int, c_int, c_int, c_void_p, c_int],
    "dnnl_primitive_attr_set_zero_points_mask": [c_void_p, c_int, c_int],
    "dnnl_primitive_attr_set_zero_points": [c_void_p, c_int, c_int, c_int, c_void_p, c_int],
    "dnnl_primitive_attr_set_dropout_v2": [c_void_p, c_void_p, c_int, c_int, c_int],
    "dnnl_primitive_attr_set_fpmath_mode_v2": [c_void_p, c_int, c_int],
    "dnnl_primitive_attr_set_post_ops": [c_void_p, c_void_p],
    "dnnl_post_ops_create": [_OBJECT],
    "dnnl_post_ops_destroy": [c_void_p],
    "dnnl_post_ops_append_eltwise": [c_void_p, c_int, c_float, c_float],
    "dnnl_post_ops_append_binary": [c_void_p, c_int, c_void_p],
    "dnnl_post_ops_append_sum": [c_void_p, c_float, c_int, c_int],
    "dnnl_post_ops_append_prelu": [c_void_p, c_int],
    "dnnl_primitive_desc_destroy": [c_void_p],
    "dnnl_primitive_desc_query": [c_void_p, c_int, c_int, c_void_p],
    "dnnl_primitive_create": [_OBJECT, c_void_p],
    "dnnl_primitive_destroy": [c_void_p],
    "dnnl_primitive_execute": [c_void_p, c_void_p, c_int, c_void_p],
    "dnnl_layer_normalization_forward_primitive_desc_create_v2":
        [_OBJECT, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_int, c_float, c_uint, c_void_p],
    "dnnl_layer_normalization_backward_primitive_desc_create_v2":
        [_OBJECT, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_int, c_float,
         c_uint, c_void_p, c_void_p],
    "dnnl_batch_normalization_forward_primitive_desc_create":
        [_OBJECT, c_void_p, c_int, c_void_p, c_void_p, c_float, c_uint, c_void_p],
    "dnnl_batch_normalization_backward_primitive_desc_create":
        [_OBJECT, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_float, c_uint, c_void_p,
         c_void_p],
    "dnnl_group_normalization_forward_primitive_desc_create":
        [_OBJECT, c_void_p, c_int, c_void_p, c_void_p, c_int64, c_float, c_uint, c_void_p],
    "dnnl_group_normalization_backward_primitive_desc_create":
        [_OBJECT, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_int64, c_float, c_uint,
         c_void_p, c_void_p],
    "dnnl_softmax_forward_primitive_desc_create":
        [_OBJECT, c_void_p, c_int, c_int, c_void_p, c_void_p, c_int, c_void_p],
    "dnnl_softmax_backward_primitive_desc_create":
        [_OBJECT, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p],
    "dnnl_eltwise_forward_primitive_desc_create":
        [_OBJECT, c_void_p, c_int, c_int, c_void_p, c_void_p, c_float, c_float, c_void_p],
    "dnnl_eltwise_backward_primitive_desc_create":
        [_OBJECT, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_float, c_float, c_void_p,
         c_void_p],
    "dnnl_binary_primitive_desc_create_v2":
        [_OBJECT, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p],
    "dnnl_reduction_primitive_desc_create":
        [_OBJECT, c_void_p, c_int, c_void_p, c_void_p, c_float, c_float, c_void_p],
    "dnnl_prelu_forward_primitive_desc_create":
        [_OBJECT, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p],
    "dnnl_prelu_backward_primitive_desc_create":
        [_OBJECT, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p],
    "dnnl_shuffle_forward_primitive_desc_create":
        [_OBJECT, c_void_p, c_int, c_void_p, c_void_p, c_int, c_int64, c_void_p],
    "dnnl_shuffle_backward_primitive_desc_create":
        [_OBJECT, c_void_p, c_void_p, c_void_p, c_int, c_int64, c_void_p, c_void_p],
    "dnnl_sum_primitive_desc_create":
        [_OBJECT, c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p],
    "dnnl_concat_primitive_desc_create":
        [_OBJECT, c_void_p, c_void_p, c_int, c_int, c_void_p, c_void_p],
    "dnnl_reorder_primitive_desc_create":
        [_OBJECT, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p],
    "dnnl_matmul_primitive_desc_create":
        [_OBJECT, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p],
    "dnnl_inner_product_forward_primitive_desc_create":
        [_OBJECT, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p],
    "dnnl_inner_product_backward_data_primitive_desc_create":
        [_OBJECT, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p],
    "dnnl_inner_product_backward_weights_primitive_desc_create":
        [_OBJECT, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p],
}


def _load():
    path = os.environ.get("KILN_LIBRARY", "libdnnl.so.3")
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"The library {path} cannot be loaded ({error}). Set KILN_LIBRARY to the path of "
            "libdnnl.so.3, or LD_LIBRARY_PATH to its folder.") from error
    for name, argument_types in _PROTOTYPES.items():
        getattr(library, name).argtypes = argument_types
    # A library of this interface other than Kiln does not have these two.
    if hasattr(library, "kiln_recorded_refusals"):
        library.kiln_recorded_refusals.restype = c_char_p
        library.kiln_recorded_refusals.argtypes = []
        library.kiln_record_refusals.argtypes = [c_int]
        library.kiln_record_refusals.restype = None
    return library


library = _load()


def check(name, *arguments):
    """Calls a function that returns a status; raises `KilnError` unless it succeeds."""
    function = getattr(library, name)
    status, reasons = function(*arguments), []
    is_refusal = status in (2, 3) and "_desc_create" in name
    if is_refusal and hasattr(library, "kiln_recorded_refusals"):
        # What describes a problem depends on its arguments alone: refused, it has changed nothing and is
        # refused once more, with reasons. No other call may be repeated.
        library.kiln_record_refusals(1)
        try:
            status = function(*arguments)
            reasons = library.kiln_recorded_refusals().decode(errors="replace").splitlines()
        finally:
            library.kiln_record_refusals(0)
    if status == 0:
        return
    raise _ERRORS.get(status, KilnError)(name, status, reasons)


class Handle:
    """An object of the library, passed as an argument like a pointer; destroyed with this one."""

    def __init__(self, kind, create, *arguments):
        handle = c_void_p()
        check(create, byref(handle), *arguments)
        self._as_parameter_ = handle
        self._destroy = getattr(library, f"dnnl_{kind}_destroy")

    def __del__(self):
        if hasattr(self, "_destroy"):
            self._destroy(self._as_parameter_)


def _make_engine():
    engine = c_void_p()
    check("dnnl_engine_create", byref(engine), 1, 0)
    return engine.value


#: The CPU engine. It lives as long as the process.
engine = _make_engine()
_of_thread = threading.local()


def stream():
    """The stream of the calling thread."""
    if not hasattr(_of_thread, "stream"):
        _of_thread.stream = Handle("stream", "dnnl_stream_create", engine, 0)
    return _of_thread.stream
