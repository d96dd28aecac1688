# SPDX-License-Identifier: Apache-2.0
"""Tensors whose elements have 4 bits."""

from collections import namedtuple


class Packed(namedtuple("Packed", "data dtype axis", defaults=(-1,))):
    """Integers of 4 bits, two to a byte.

    Attributes
    ----------
    data : array or tensor
        The bytes, uint8 or int8. The element of even index is the low half of a byte.
    dtype : str
        int4, from -8 to 7, or uint4, from 0 to 15.
    axis : int
        The axis that has two elements in each byte. Its bytes are adjacent in memory.

    Examples
    --------
    >>> import kiln, numpy as np
    >>> weights = kiln.reorder(np.float32([[-8, 7], [0, 1]]), "int4")
    >>> weights.data
    array([[120],
           [ 16]], dtype=uint8)
    >>> weights.shape
    (2, 2)
    """

    __slots__ = ()

    @property
    def shape(self):
        """Extents in elements."""
        extents = list(self.data.shape)
        extents[self.axis] *= 2
        return tuple(extents)


__all__ = ["Packed"]
