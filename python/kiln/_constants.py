# SPDX-License-Identifier: Apache-2.0
"""Values of the C interface (include/oneapi/dnnl/dnnl_types.h). tests/test_tensors.py compares
them with the headers."""

STATUS_NAMES = {
    1: "out of memory", 2: "invalid arguments", 3: "unimplemented", 4: "last implementation reached",
    5: "runtime error", 6: "not required",
}

#: Data types by their short name.
DATA_TYPES = {"f16": 1, "bf16": 2, "f32": 3, "s32": 4, "s8": 5, "u8": 6, "f64": 7, "s4": 11, "u4": 12,
              "s64": 16}

FORWARD_TRAINING, FORWARD_INFERENCE, BACKWARD, BACKWARD_DATA = 64, 96, 128, 160

#: Flags of normalizations.
USE_GLOBAL_STATS, USE_SCALE, USE_SHIFT, RMS_NORM = 0x1, 0x2, 0x4, 0x20

# Execution arguments.
SRC, SRC_1, SRC_2, DST = 1, 2, 3, 17
WEIGHTS, DIFF_WEIGHTS = 33, 161
BIAS, DIFF_BIAS = 41, 169
MEAN, VARIANCE, SCALE, SHIFT = 49, 50, 51, 52
DIFF_SRC, DIFF_DST = 129, 145
DIFF_SCALE, DIFF_SHIFT = 255, 256
MULTIPLE_SRC = 1024
ATTR_DROPOUT_OFFSET, ATTR_DROPOUT_MASK, ATTR_DROPOUT_PROBABILITY, ATTR_DROPOUT_SEED = 507, 509, 510, 511
ATTR_SCALES, ATTR_ZERO_POINTS, ATTR_MULTIPLE_POST_OP_BASE = 4096, 8192, 32768

QUERY_IMPLEMENTATION = 8

ELTWISE = {
    "relu": 0x20, "tanh": 0x21, "elu": 0x22, "square": 0x23, "abs": 0x24, "sqrt": 0x25,
    "linear": 0x26, "soft_relu": 0x27, "hardsigmoid": 0x28, "logistic": 0x29, "exp": 0x2a,
    "gelu_tanh": 0x2b, "swish": 0x2c, "log": 0x2d, "clip": 0x2e, "clip_v2": 0x2f, "pow": 0x30,
    "gelu_erf": 0x31, "round": 0x32, "mish": 0x33, "hardswish": 0x34,
}
#: alpha and beta of the functions that have them; None must be given.
ELTWISE_PARAMETERS = {
    "relu": (0., 0.), "elu": (1., 0.), "soft_relu": (1., 0.), "swish": (1., 0.), "linear": (1., 0.),
    "clip": (None, None), "clip_v2": (None, None), "pow": (1., None), "hardsigmoid": (1 / 6, 0.5),
    "hardswish": (1 / 6, 0.5),
}
#: What arithmetic may be rounded to; integers are converted to floating point, too.
FPMATH = {"strict": 0, "bf16": 1, "f16": 2, "any": 3, "tf32": 4}
BINARY = {
    "add": 0x1fff0, "mul": 0x1fff1, "max": 0x1fff2, "min": 0x1fff3, "div": 0x1fff4,
    "sub": 0x1fff5, "ge": 0x1fff6, "gt": 0x1fff7, "le": 0x1fff8, "lt": 0x1fff9, "eq": 0x1fffa,
    "ne": 0x1fffb, "select": 0x1fffc,
}
REDUCTION = {
    "max": 0x2fff2, "min": 0x2fff3, "sum": 0x2fff4, "mul": 0x2fff5, "mean": 0x2fff6,
    "norm_lp_max": 0x2fff7, "norm_lp_sum": 0x2fff8, "norm_lp_power_p_max": 0x2fff9,
    "norm_lp_power_p_sum": 0x2fffa,
}
SOFTMAX = {"accurate": 0x30000, "log": 0x30001}
