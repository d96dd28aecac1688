# SPDX-License-Identifier: Apache-2.0
"""Primitives: created once for a problem, executed on tensors."""

import functools
from ctypes import c_char_p, c_float, c_void_p, byref

from ._attributes import Attributes, attr_handle
from ._constants import QUERY_IMPLEMENTATION
from ._library import ExecArg, Handle, check, engine, library, stream
from ._tensor import Desc, desc_handle


def _argument(value):
    """An argument of the cache as one of the C function."""
    if isinstance(value, Desc):
        return desc_handle(value)
    if not isinstance(value, tuple):
        return value
    if isinstance(value[0], Desc):
        handles = [desc_handle(desc) for desc in value]
        array = (c_void_p * len(value))(*(handle._as_parameter_.value for handle in handles))
        array.handles = handles  # they live as long as the array
        return array
    return (c_float * len(value))(*value)


class _Primitive:
    """A primitive with its descriptor."""

    def __init__(self, create, arguments, attributes):
        self._desc = Handle("primitive_desc", create, *map(_argument, arguments),
                            attr_handle(attributes))
        self._handle = Handle("primitive", "dnnl_primitive_create", self._desc)

    @property
    def implementation(self):
        name = c_char_p()
        check("dnnl_primitive_desc_query", self._desc, QUERY_IMPLEMENTATION, 0, byref(name))
        return name.value.decode()

    def run(self, tensors):
        """Executes it; `tensors` has views by execution argument. Those that are None are left out."""
        arguments = (ExecArg * len(tensors))()
        memory, count = c_void_p(), 0
        try:
            for arg, view in tensors.items():
                if view is None:
                    continue
                check("dnnl_memory_create", byref(memory), desc_handle(view.desc), engine,
                      view.address)
                arguments[count].arg, arguments[count].memory = arg, memory.value
                count += 1
            # On a CPU the execution is complete when the call returns.
            check("dnnl_primitive_execute", self._handle, stream(), count, arguments)
        finally:
            for argument in arguments[:count]:
                library.dnnl_memory_destroy(argument.memory)


@functools.lru_cache(maxsize=1024)
def primitive(operation, *arguments, attributes=Attributes(), version=""):
    """The primitive for a problem.

    Parameters
    ----------
    operation : str
        The operation in the name of the C function that makes the descriptor, which is
        ``dnnl_OPERATION_primitive_desc_createVERSION``.
    arguments : Desc, number, None, or a tuple of Desc or float
        What the function takes between its first parameter and its last one, the attributes.
    attributes : Attributes
    """
    return _Primitive(f"dnnl_{operation}_primitive_desc_create{version}", arguments, attributes)
