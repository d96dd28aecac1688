# SPDX-License-Identifier: Apache-2.0
"""Normalizations, compared with their formulas in double."""

import unittest

import numpy as np

import kiln
from truth import TOLERANCE, close, data, normalize, normalize_backward

TYPES = ["float32", "float64", "float16"]


class LayerNorm(unittest.TestCase):
    def test_is_the_formula_for_each_type_shape_and_flag(self):
        for dtype in TYPES:
            for shape, ndim in (((5, 96), 1), ((2, 3, 7), 1), ((2, 3, 4, 5), 2), ((33,), 1),
                                ((4, 6), 2)):
                for has_weight, has_bias in ((False, False), (True, False), (True, True)):
                    with self.subTest(dtype=dtype, shape=shape, weight=has_weight, bias=has_bias):
                        self.check(dtype, shape, ndim, has_weight, has_bias)

    def check(self, dtype, shape, ndim, has_weight, has_bias):
        x = data(shape, dtype, 1)
        inner = shape[len(shape) - ndim:]
        weight = data(inner, dtype, 2) if has_weight else None
        bias = data(inner, dtype, 3) if has_bias else None
        axes = tuple(range(-ndim, 0))
        expected, mean, variance = normalize(x, axes, weight, bias, 1e-5)
        got = kiln.layer_norm(x, weight, bias, ndim=ndim, return_stats=True)
        for name, result, truth in zip(("y", "mean", "variance"), got, (expected, mean, variance)):
            close(self, result, truth.reshape(result.shape), dtype, name)
        self.assertEqual(got[0].dtype, x.dtype)
        self.assertEqual(got[1].shape, shape[:len(shape) - ndim])
        close(self, kiln.layer_norm(x, weight, bias, ndim=ndim), expected, dtype, "inference")

        dy = data(shape, dtype, 4)
        gradients = kiln.layer_norm_backward(dy, x, got[1], got[2], weight, ndim=ndim,
                                             has_bias=has_bias)
        truth = normalize_backward(dy, x, axes, weight, 1e-5)
        close(self, gradients.x, truth[0], dtype, "dx", 20)
        if has_weight:
            close(self, gradients.weight, truth[1], dtype, "dweight", 20)
        if has_bias:
            close(self, gradients.bias, truth[2], dtype, "dbias", 20)
        self.assertEqual(gradients.weight is None, not has_weight)
        self.assertEqual(gradients.bias is None, not has_bias)

    def test_converts_to_another_type(self):
        x = data((4, 64), "float32", 1)
        y = kiln.layer_norm(x, dtype="float16")
        self.assertEqual(y.dtype, np.float16)
        close(self, y, normalize(x, (-1,), None, None, 1e-5)[0], "float16", "y")
        levels = (np.arange(128).reshape(2, 64) % 11).astype(np.uint8)
        close(self, kiln.layer_norm(levels, dtype=np.float32),
              normalize(levels, (-1,), None, None, 1e-5)[0], "float32", "y of u8")

    def test_uses_given_statistics(self):
        x = data((4, 64), "float32", 1)
        mean, variance = data((4,), "float32", 2), np.abs(data((4,), "float32", 3))
        expected = (x - mean[:, None]) / np.sqrt(variance[:, None] + 1e-5)
        close(self, kiln.layer_norm(x, mean=mean, variance=variance), expected, "float32", "y")
        with self.assertRaisesRegex(ValueError, "together"):
            kiln.layer_norm(x, mean=mean)

    def test_of_no_elements_has_statistics_of_zero(self):
        y, mean, variance = kiln.layer_norm(np.zeros((3, 0), np.float32), return_stats=True)
        self.assertEqual(y.shape, (3, 0))
        self.assertTrue((mean == 0).all() and (variance == 0).all())


class RmsNorm(unittest.TestCase):
    def test_is_the_formula(self):
        for dtype in TYPES:
            with self.subTest(dtype=dtype):
                x, weight, dy = data((6, 80), dtype, 1), data((80,), dtype, 2), data((6, 80), dtype, 3)
                square = (x.astype(float) ** 2).mean(-1, keepdims=True)
                root = np.sqrt(square + 1e-6)
                y, mean_square = kiln.rms_norm(x, weight, return_stats=True)
                close(self, y, x.astype(float) / root * weight, dtype, "y")
                close(self, mean_square, square[:, 0], dtype, "mean_square")
                g, xhat = dy.astype(float) * weight, x / root
                dx, dweight, dbias = kiln.rms_norm_backward(dy, x, mean_square, weight)
                close(self, dx, (g - xhat * (g * xhat).mean(-1, keepdims=True)) / root, dtype, "dx", 20)
                close(self, dweight, (dy * xhat).sum(0), dtype, "dweight", 20)
                self.assertIsNone(dbias)


class ChannelNorms(unittest.TestCase):
    """Batch, group and instance normalization of one tensor, in two orders in memory. Statistics are
    float32, also for float64 tensors."""

    def each(self):
        cases = []
        for dtype in TYPES:
            for order in ("nchw", "nhwc"):
                x, dy = (data((3, 8, 5, 4), dtype, seed) for seed in (1, 2))
                if order == "nhwc":
                    x, dy = (np.ascontiguousarray(t.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
                             for t in (x, dy))
                cases.append((dtype, x, dy, data((8,), "float32", 3), data((8,), "float32", 4)))
        return cases

    def test_batch_norm_is_the_formula(self):
        for dtype, x, dy, weight, bias in self.each():
            dtype = dtype.replace("64", "32")
            column = (8, 1, 1)
            expected, mean, variance = normalize(x, (0, 2, 3), weight.reshape(column),
                                                 bias.reshape(column), 1e-5)
            y, *stats = kiln.batch_norm(x, weight, bias, return_stats=True)
            close(self, y, expected, dtype, "y")
            self.assertEqual(y.strides, x.strides)
            close(self, stats[0], mean.ravel(), dtype, "mean")
            close(self, stats[1], variance.ravel(), dtype, "variance")
            got = kiln.batch_norm_backward(dy, x, *stats, weight)
            for part, truth in zip(got, normalize_backward(dy, x, (0, 2, 3), weight.reshape(column),
                                                           1e-5)):
                close(self, part, truth.reshape(part.shape), dtype, "gradient", 20)
            fixed = kiln.batch_norm_backward(dy, x, *stats, weight, given_statistics=True)
            close(self, fixed.x, dy * (weight / np.sqrt(stats[1] + 1e-5)).reshape(column), dtype,
                  "dx with given statistics", 20)
            close(self, kiln.batch_norm(x, weight, bias, mean=stats[0], variance=stats[1]), expected,
                  dtype, "inference")

    def test_group_norm_is_the_formula(self):
        for dtype, x, dy, weight, bias in self.each():
            dtype = dtype.replace("64", "32")
            for groups in (1, 4, 8):
                split = (3, groups, 8 // groups, 5, 4)
                column = (1, groups, 8 // groups, 1, 1)
                expected, mean, variance = normalize(
                    x.reshape(split), (2, 3, 4), weight.reshape(column), bias.reshape(column), 1e-5)
                y, *stats = kiln.group_norm(x, groups, weight, bias, return_stats=True)
                close(self, y, expected.reshape(x.shape), dtype, "y")
                close(self, stats[0], mean.reshape(3, groups), dtype, "mean")
                close(self, stats[1], variance.reshape(3, groups), dtype, "variance")
                got = kiln.group_norm_backward(dy, x, groups, *stats, weight)
                truth = normalize_backward(dy.reshape(split), x.reshape(split), (2, 3, 4),
                                           weight.reshape(column), 1e-5, keep=(1, 2))
                for part, expected_part in zip(got, truth):
                    close(self, part, expected_part.reshape(part.shape), dtype, "gradient", 20)

    def test_instance_norm_is_group_norm_of_single_channels(self):
        for _, x, dy, weight, bias in self.each():
            y, *stats = kiln.instance_norm(x, weight, bias, return_stats=True)
            same, *same_stats = kiln.group_norm(x, 8, weight, bias, return_stats=True)
            np.testing.assert_array_equal(y, same)
            for part, expected in zip(kiln.instance_norm_backward(dy, x, *stats, weight),
                                      kiln.group_norm_backward(dy, x, 8, *same_stats, weight)):
                np.testing.assert_array_equal(part, expected)

    def test_wrong_shapes_are_refused_with_both_shapes(self):
        x = data((2, 4, 3), "float32", 1)
        with self.assertRaisesRegex(ValueError, r"weight has shape \(3,\); it must be \(4,\)"):
            kiln.batch_norm(x, np.ones(3, np.float32))
        with self.assertRaisesRegex(ValueError, r"mean has shape \(4,\); it must be \(2, 2\)"):
            kiln.group_norm(x, 2, mean=np.ones(4, np.float32), variance=np.ones(4, np.float32))
        line = np.ones(3, np.float32)
        for function in (kiln.batch_norm, kiln.instance_norm, lambda x: kiln.group_norm(x, 1),
                         lambda x: kiln.instance_norm_backward(x, x, x, x)):
            with self.assertRaisesRegex(ValueError, "must have a batch axis and a channel axis"):
                function(line)
        with self.assertRaisesRegex(kiln.InvalidArgumentsError, "groups"):
            kiln.group_norm(x, 3)
        with self.assertRaisesRegex(TypeError, "weight has elements of f64; it must be f32"):
            kiln.batch_norm(x, np.ones(4))


if __name__ == "__main__":
    assert TOLERANCE
    unittest.main()
