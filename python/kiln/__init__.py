# SPDX-License-Identifier: Apache-2.0
"""Kiln for Python: normalizations, matrix products, softmax and elementwise operations on NumPy arrays
and on tensors of libraries with DLPack, without copies.

The library `libdnnl.so.3` is that of the environment variable KILN_LIBRARY, or the one that the
loader finds. Calls release the interpreter's lock while they compute.

>>> import kiln, numpy as np
>>> x = np.random.default_rng(0).standard_normal((4, 768), dtype=np.float32)
>>> y, mean, variance = kiln.layer_norm(x, return_stats=True)
>>> dx, _, _ = kiln.layer_norm_backward(np.ones_like(x), x, mean, variance)
"""

from ._attributes import Dropout
from ._library import InvalidArgumentsError, KilnError, OutOfMemoryError, UnimplementedError
from ._packed import Packed
from .channels import (batch_norm, batch_norm_backward, group_norm, group_norm_backward,
                       instance_norm, instance_norm_backward)
from .moves import concat, reorder, shuffle, shuffle_backward, weighted_sum
from .normalization import (Gradients, layer_norm, layer_norm_backward, rms_norm,
                            rms_norm_backward)
from .operations import (binary, eltwise, eltwise_backward, log_softmax, prelu, prelu_backward,
                         reduction, softmax, softmax_backward)
from .products import inner_product, inner_product_backward, matmul

__version__ = "0.1.0"
__all__ = [
    "Dropout", "Gradients", "InvalidArgumentsError", "KilnError", "OutOfMemoryError", "Packed",
    "UnimplementedError",
    "batch_norm", "batch_norm_backward", "binary", "concat", "eltwise", "eltwise_backward",
    "group_norm", "group_norm_backward", "inner_product", "inner_product_backward", "instance_norm",
    "instance_norm_backward", "layer_norm", "layer_norm_backward", "log_softmax", "matmul", "prelu",
    "prelu_backward", "reduction", "reorder", "rms_norm", "rms_norm_backward", "shuffle",
    "shuffle_backward", "softmax", "softmax_backward", "weighted_sum",
]
