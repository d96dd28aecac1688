# SPDX-License-Identifier: Apache-2.0
"""Draws problems of the drivers: shapes, layouts, data types, flags and directions. The same seed gives the same problems on every machine."""

import random

from comparison import random_elementwise

# Problems with more elements take seconds to check.
MOST_ELEMENTS = 1 << 23
# The peer has only slow code for other layouts and for the gradient of group normalization.
MOST_SLOW_ELEMENTS = 1 << 18

# Multiplications of a product, which are checked in double.
MOST_MULTIPLICATIONS = 1 << 28

_ROW_MAJOR = ("", "a", "ab", "abc", "abcd")
_OTHER_ORDERS = {2: ["ba"], 3: ["acb", "bac", "cab"], 4: ["abdc", "bacd", "acdb"]}


def _extent(draw, most):
    """Each power of two up to `most` is as likely; a half are multiples of 16 or 64."""
    extent = int(2 ** draw.uniform(0, most.bit_length() - 1))
    step = draw.choice([1, 1, 16, 64])
    return max(1, extent // step * step) if extent >= step else extent


def _axes(draw, count, elements):
    """Extents of `count` axes whose product is at most `elements`."""
    extents = []
    for left in range(count, 0, -1):
        extents.append(_extent(draw, elements) if left > 1 else max(1, elements))
        elements //= extents[-1]
    return extents


def _lnorm(draw):
    is_rms = draw.random() < 0.3
    # The peer's gradient of RMS normalization is wrong.
    direction = draw.choice(["FWD_D", "FWD_I"] if is_rms else ["FWD_D", "FWD_I", "BWD_D", "BWD_DW"])
    types = ["f32", "f32", "bf16", "bf16"]
    types += ["f32:bf16", "bf16:s8", "f32:u8"] if direction.startswith("FWD") else []
    flags = draw.choice(["CM", "CM", "M", "CGM"] if is_rms else ["CH", "CH", "CH", "C", "", "CGH"])
    ndims = draw.choice([2, 2, 3, 4])
    tag = draw.choice([_ROW_MAJOR[ndims]] * 3 + [draw.choice(_OTHER_ORDERS[ndims])])
    most = MOST_ELEMENTS if tag == _ROW_MAJOR[ndims] else MOST_SLOW_ELEMENTS
    elements = int(2 ** draw.uniform(6, most.bit_length() - 1))
    columns = _extent(draw, min(elements, 16384))
    rows = _axes(draw, ndims - 1, elements // columns)
    shape = "x".join(map(str, rows + [columns]))
    return [f"--dir={direction}", f"--dt={draw.choice(types)}", f"--tag={tag}", f"--flags={flags}"], shape


def _image(draw, channels, elements):
    """mb, ic and one to three equal spatial extents."""
    batch = _extent(draw, max(1, min(64, elements // channels)))
    names = draw.choice(["iw", "ih", "ih", "ih", "id"])
    axes = {"iw": 1, "ih": 2, "id": 3}[names]
    extent = max(1, int((elements / channels / batch) ** (1 / axes)))
    return f"mb{batch}ic{channels}{names}{extent}"


def _bnorm(draw):
    is_s8 = draw.random() < 0.15
    direction = "FWD_I" if is_s8 else draw.choice(["FWD_D", "FWD_I", "BWD_D", "BWD_DW"])
    data_type = "s8" if is_s8 else draw.choice(["f32", "f32", "bf16"])
    tag = "axb" if is_s8 else draw.choice(["abx", "axb", "axb", "aBx16b"])
    flags = "CGH" if direction == "FWD_I" else draw.choice(["CH", "CH", "CHR", "", "CGH"])
    elements = int(2 ** draw.uniform(8, MOST_ELEMENTS.bit_length() - 1))
    shape = _image(draw, _extent(draw, min(elements, 2048)), elements)
    return [f"--dir={direction}", f"--dt={data_type}", f"--tag={tag}", f"--flags={flags}"], shape


def _gnorm(draw):
    direction = draw.choice(["FWD_D", "FWD_I", "BWD_DW"])
    most = MOST_SLOW_ELEMENTS if direction == "BWD_DW" else MOST_ELEMENTS
    elements = int(2 ** draw.uniform(10, most.bit_length() - 1))
    groups = _extent(draw, 64)
    channels = groups * draw.choice([1, 2, 4, 8, 10, 16])
    knobs = [f"--dir={direction}", f"--dt={draw.choice(['f32', 'f32', 'bf16'])}"]
    knobs += [f"--tag={draw.choice(['abx', 'axb'])}", f"--flags={draw.choice(['CH', 'CH', ''])}"]
    return knobs, f"g{groups}" + _image(draw, channels, max(elements, channels))


def _matmul(draw):
    multiplications = int(2 ** draw.uniform(8, MOST_MULTIPLICATIONS.bit_length() - 1))
    batch = draw.choice([1, 1, _extent(draw, min(64, multiplications))])
    rows, depth, columns = draw.sample(_axes(draw, 3, multiplications // batch), 3)
    most = MOST_ELEMENTS // batch // max(rows, columns, depth)
    rows, depth, columns = (min(extent, max(1, most)) for extent in (rows, depth, columns))
    types = ["f32", "f32", "bf16", "bf16:bf16:f32", "u8:s8:s32", "s8:s8:f32"]
    orders = ["any", "any", "ab", "ba"] if batch == 1 else ["abc", "abc", "acb"]
    front = f"{batch}x" if batch > 1 else ""
    shape = f"{front}{rows}x{depth}:{front}{depth}x{columns}"
    return [f"--dt={draw.choice(types)}", f"--wtag={draw.choice(orders)}"], shape


# A half of the normalizations are layer and RMS normalizations.
_KINDS = [
    ("lnorm", _lnorm),
    ("bnorm", _bnorm),
    ("lnorm", _lnorm),
    ("gnorm", _gnorm),
    ("matmul", _matmul),
    *random_elementwise.KINDS,
]
DRIVERS = ("lnorm", "bnorm", "gnorm", "matmul") + tuple(kind[0] for kind in random_elementwise.KINDS)
NORMALIZATIONS = DRIVERS[:3]


def drawn(seed, count, drivers=NORMALIZATIONS):
    """`count` problems: pairs of a driver and its words, which set every knob that is drawn."""
    draw = random.Random(seed)
    kinds = [kind for kind in _KINDS if kind[0] in drivers]
    problems = []
    for number in range(count):
        driver, make = kinds[number % len(kinds)]
        knobs, shape = make(draw)
        problems.append((driver, knobs + [shape]))
    return problems
