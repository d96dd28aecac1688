# SPDX-License-Identifier: Apache-2.0
"""Draws problems of elementwise operations, softmax and operations that move elements: images with
usual and odd numbers of channels, in plain, channels-last and blocked layouts."""

MOST_ELEMENTS = 1 << 21

_TAGS = ("abcd", "acdb", "aBcd16b", "aBcd8b")
_CHANNELS = (1, 3, 4, 7, 10, 16, 19, 21, 32, 48, 64, 96, 100, 128, 150, 256, 300, 512, 1000, 1024)
_EXTENTS = (1, 3, 5, 7, 8, 10, 14, 17, 28, 30, 32, 40, 56, 57, 64, 112)
# Two channels at least.
_SHUFFLED = _CHANNELS[3:]

_ALGORITHMS = {
    "relu": "", "abs": "", "square": "", "tanh": "", "exp": "", "logistic": "", "gelu_tanh": "",
    "gelu_erf": "", "mish": "--alpha=1", "swish": "--alpha=1", "elu": "--alpha=1",
    "soft_relu": "--alpha=1", "linear": "--alpha=2 --beta=1", "clip": "--alpha=-0.5 --beta=1",
    "hardswish": "--alpha=0.2 --beta=0.5", "log": "", "pow": "--alpha=1 --beta=2",
}  # fmt: skip


def _image(draw, channels=_CHANNELS, most=MOST_ELEMENTS):
    while True:
        image = [draw.choice([1, 2, 4, 8, 16, 32, 64]), draw.choice(channels)]
        image += [draw.choice(_EXTENTS), draw.choice(_EXTENTS)]
        if image[0] * image[1] * image[2] * image[3] <= most:
            return image


def _words(image):
    return "x".join(map(str, image))


def _broadcast(draw, image):
    """The whole image, a value, a value of each channel, or one of each channel of each sample."""
    batch, channels = image[:2]
    return draw.choice(
        [image, [1, 1, 1, 1], [1, channels, 1, 1], [batch, channels, 1, 1]]
    )


def softmax(draw):
    src = draw.choice(["f32", "f32", "bf16"])
    knobs = [f"--axis={draw.randrange(4)}", f"--stag={draw.choice(_TAGS)}", f"--sdt={src}"]
    knobs += [f"--ddt={draw.choice([src, src, 'f32'])}", f"--dir={draw.choice(['FWD_D', 'FWD_I'])}"]
    return knobs + [f"--alg={draw.choice(['softmax', 'logsoftmax'])}"], _words(_image(draw))


def eltwise(draw):
    algorithm = draw.choice(sorted(_ALGORITHMS))
    knobs = [f"--dt={draw.choice(['f32', 'f32', 'bf16'])}", f"--tag={draw.choice(_TAGS)}"]
    knobs += [f"--alg={algorithm}", f"--dir={draw.choice(['FWD_D', 'FWD_I', 'BWD_D'])}"]
    return knobs + _ALGORITHMS[algorithm].split(), _words(_image(draw))


def binary(draw):
    image, src = _image(draw), draw.choice(["f32", "f32", "bf16", "s8"])
    knobs = [f"--sdt={src}:{draw.choice([src, 'f32'])}", f"--ddt={src}"]
    knobs += [f"--stag={draw.choice(_TAGS)}:{draw.choice(('any',) + _TAGS)}"]
    knobs += [f"--alg={draw.choice(['add', 'sub', 'mul', 'max', 'div', 'ge'])}"]
    return knobs, _words(image) + ":" + _words(_broadcast(draw, image))


def prelu(draw):
    image, data_type = _image(draw), draw.choice(["f32", "f32", "bf16"])
    knobs = [f"--sdt={data_type}:{data_type}", f"--stag={draw.choice(_TAGS)}:any"]
    knobs += [f"--dir={draw.choice(['FWD_I', 'BWD_DW'])}"]
    weights = draw.choice([image, [1, image[1], 1, 1], [1, 1, 1, 1]])
    return knobs, _words(image) + ":" + _words(weights)


def sum_(draw):
    inputs, tag = draw.choice([2, 3, 4]), draw.choice(_TAGS)
    data_type = draw.choice(["f32", "f32", "bf16", "s8"])
    tags = [tag] + [draw.choice([tag, tag, *_TAGS]) for _ in range(inputs - 1)]
    knobs = [f"--sdt={':'.join([data_type] * inputs)}", f"--ddt={data_type}"]
    return knobs + [f"--stag={':'.join(tags)}", f"--dtag={tag}"], _words(_image(draw))


def concat(draw):
    inputs, axis, tag = draw.choice([2, 2, 3, 4]), draw.randrange(4), draw.choice(_TAGS)
    image, data_type = _image(draw, most=MOST_ELEMENTS // 4), draw.choice(["f32", "bf16", "s8"])
    parts = []
    for _ in range(inputs):
        extent = draw.choice([image[axis], image[axis], 1, 3, 8, 16, 24])
        parts.append(_words(image[:axis] + [min(extent, image[axis])] + image[axis + 1 :]))
    knobs = [f"--axis={axis}", f"--sdt={data_type}", f"--ddt={data_type}"]
    knobs += [f"--stag={':'.join([tag] * inputs)}", f"--dtag={draw.choice([tag, *_TAGS])}"]
    return knobs, ":".join(parts)


def shuffle(draw):
    image = _image(draw, _SHUFFLED)
    groups = [group for group in range(2, image[1] + 1) if image[1] % group == 0]
    knobs = ["--axis=1", f"--group={draw.choice(groups)}", f"--tag={draw.choice(_TAGS)}"]
    knobs += [f"--dt={draw.choice(['f32', 'bf16', 's8'])}"]
    return knobs + [f"--dir={draw.choice(['FWD_D', 'BWD_D'])}"], _words(image)


def reorder(draw):
    src = draw.choice(["f32", "f32", "bf16", "s8", "u8"])
    knobs = [f"--sdt={src}", f"--ddt={draw.choice([src, src, 'f32', 'bf16', 's8'])}"]
    knobs += [f"--stag={draw.choice(_TAGS)}", f"--dtag={draw.choice(_TAGS)}"]
    return knobs, _words(_image(draw))


KINDS = (
    ("softmax", softmax),
    ("eltwise", eltwise),
    ("binary", binary),
    ("prelu", prelu),
    ("sum", sum_),
    ("concat", concat),
    ("shuffle", shuffle),
    ("reorder", reorder),
)
