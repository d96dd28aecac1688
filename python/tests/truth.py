# SPDX-License-Identifier: Apache-2.0
"""What the tests compare with: data, formulas in double, and how far a result may be off."""

import numpy as np

#: A few roundings of each type.
TOLERANCE = {"float64": 1e-12, "float32": 2e-6, "float16": 2e-3, "bfloat16": 1.6e-2}


def data(shape, dtype, seed):
    """Normally distributed values about 1, different for each seed."""
    return np.random.default_rng(seed).normal(1, 2, shape).astype(dtype)


def close(test, got, truth, dtype, name, factor=2):
    """Fails unless `got` differs from `truth` by at most `factor` tolerances of the largest value."""
    test.assertEqual(got.shape, truth.shape, name)
    got = np.asarray(got, dtype=float)
    limit = factor * TOLERANCE[dtype] * max(1.0, np.abs(truth).max(initial=0))
    test.assertLessEqual(np.abs(got - truth).max(initial=0), limit, name)


def normalize(x, axes, weight, bias, eps):
    """The result, mean and variance, in double."""
    x = x.astype(float)
    mean = x.mean(axes, keepdims=True)
    variance = ((x - mean) ** 2).mean(axes, keepdims=True)
    y = (x - mean) / np.sqrt(variance + eps)
    y = y if weight is None else y * weight.astype(float)
    return y if bias is None else y + bias.astype(float), mean, variance


def normalize_backward(dy, x, axes, weight, eps, keep=None):
    """The gradients of x, weight and bias. Those of parameters are summed over the axes that are not
    in `keep`: by default over all that are not normalized for layer normalization, and over the
    normalized ones for batch normalization, where weight is a column."""
    dy, x = dy.astype(float), x.astype(float)
    mean = x.mean(axes, keepdims=True)
    root = np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + eps)
    xhat = (x - mean) / root
    g = dy if weight is None else dy * weight.astype(float)
    dx = (g - g.mean(axes, keepdims=True) - xhat * (g * xhat).mean(axes, keepdims=True)) / root
    normalized = {axis % x.ndim for axis in axes}
    if keep is None:
        keep = normalized if 0 not in normalized else {1}
        keep = normalized if len(normalized) == x.ndim else keep
    summed = tuple(axis for axis in range(x.ndim) if axis not in keep)
    return dx, (dy * xhat).sum(summed), dy.sum(summed)
