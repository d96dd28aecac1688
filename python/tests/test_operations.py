# SPDX-License-Identifier: Apache-2.0
"""Softmax, elementwise and binary operations, reductions, and operations that move data, compared
with NumPy in double."""

import unittest

import numpy as np

import kiln
from truth import close, data

TYPES = ["float32", "float64", "float16"]


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


class Softmax(unittest.TestCase):
    def test_is_the_formula_along_each_axis(self):
        for dtype in TYPES:
            for axis in (0, 1, -1):
                with self.subTest(dtype=dtype, axis=axis):
                    x, dy = data((4, 5, 6), dtype, 1), data((4, 5, 6), dtype, 2)
                    truth = softmax(x.astype(float), axis)
                    y = kiln.softmax(x, axis)
                    close(self, y, truth, dtype, "softmax")
                    logs = kiln.log_softmax(x, axis)
                    close(self, logs, np.log(truth), dtype, "log_softmax")
                    d = dy.astype(float)
                    close(self, kiln.softmax_backward(dy, y, axis),
                          truth * (d - (d * truth).sum(axis, keepdims=True)), dtype, "gradient", 8)
                    close(self, kiln.softmax_backward(dy, logs, axis, log=True),
                          d - truth * d.sum(axis, keepdims=True), dtype, "gradient of logs", 8)


class Elementwise(unittest.TestCase):
    FUNCTIONS = {
        ("relu", 0.125, 0): lambda x: np.where(x > 0, x, 0.125 * x),
        ("tanh", 0, 0): np.tanh,
        ("logistic", 0, 0): lambda x: 1 / (1 + np.exp(-x)),
        ("swish", 1, 0): lambda x: x / (1 + np.exp(-x)),
        ("linear", 2, 3): lambda x: 2 * x + 3,
        ("square", 0, 0): np.square,
        ("clip", -1, 1): lambda x: np.clip(x, -1, 1),
    }

    def test_functions_are_their_formulas(self):
        for (name, alpha, beta), function in self.FUNCTIONS.items():
            for dtype in TYPES:
                with self.subTest(name=name, dtype=dtype):
                    x = data((3, 100), dtype, 1)
                    close(self, kiln.eltwise(x, name, alpha, beta), function(x.astype(float)), dtype,
                          name, 4)

    def test_parameters_have_the_usual_defaults(self):
        usual = {
            "relu": lambda x: np.maximum(x, 0), "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
            "soft_relu": lambda x: np.log1p(np.exp(x)), "swish": lambda x: x / (1 + np.exp(-x)),
            "linear": lambda x: x, "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
            "hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
        }
        x = data((3, 100), "float32", 1)
        for name, function in usual.items():
            with self.subTest(name=name):
                truth = function(x.astype(float))
                close(self, kiln.eltwise(x, name), truth, "float32", name, 4)
                close(self, kiln.binary(x, 0, "add", post_ops=[name]), truth, "float32", name, 4)
        close(self, kiln.eltwise(np.abs(x), "pow", beta=0.5), np.sqrt(np.abs(x)), "float32", "pow", 4)
        for name, parameters, missing in (("clip", (), "alpha"), ("clip", (0,), "beta"), ("clip_v2", (), "alpha"),
                                          ("pow", (), "beta")):
            with self.assertRaisesRegex(TypeError, f"{name} needs {missing}"):
                kiln.eltwise(x, name, *parameters)

    def test_gradients_are_slopes(self):
        x, dy = data((3, 100), "float64", 1), data((3, 100), "float64", 2)
        for (name, alpha, beta), function in self.FUNCTIONS.items():
            with self.subTest(name=name):
                step = 1e-6
                slope = (function(x + step) - function(x - step)) / (2 * step)
                got = kiln.eltwise_backward(dy, x, name, alpha, beta)
                self.assertLess(np.abs(got - dy * slope).max(), 1e-7)

    def test_an_unknown_name_is_refused_with_those_that_are_known(self):
        with self.assertRaisesRegex(ValueError, "name is 'gelu'; it must be one of relu, tanh"):
            kiln.eltwise(np.ones(3, np.float32), "gelu")

    def test_binary_broadcasts_as_numpy_does(self):
        operations = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
                      "max": np.maximum, "min": np.minimum, "ge": np.greater_equal, "eq": np.equal}
        for name, operation in operations.items():
            for shapes in (((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 3, 4), (3, 1)),
                           ((), ())):
                with self.subTest(name=name, shapes=shapes):
                    a, b = (np.asarray(data(shape, "float32", i)) for i, shape in enumerate(shapes))
                    truth = operation(a.astype(float), b.astype(float))
                    close(self, kiln.binary(a, b, name), np.asarray(truth, float), "float32", name)
        np.testing.assert_array_equal(kiln.binary(np.ones((2, 3), np.float32), 2.5, "mul"),
                                      np.full((2, 3), 2.5, np.float32))

    def test_select_takes_what_a_condition_says(self):
        a, b = data((3, 4), "float32", 1), data((1, 4), "float32", 2)
        condition = (data((3, 4), "float32", 3) > 0).astype(np.int8)
        np.testing.assert_array_equal(kiln.binary(a, b, "select", condition=condition), np.where(condition, a, b))
        with self.assertRaisesRegex(TypeError, "select needs a condition"):
            kiln.binary(a, b, "select")
        with self.assertRaisesRegex(TypeError, "add has no condition"):
            kiln.binary(a, b, "add", condition=condition)

    def test_prelu_has_a_slope_for_each_channel(self):
        x, dy, weight = data((2, 3, 5), "float32", 1), data((2, 3, 5), "float32", 2), data(
            (1, 3, 1), "float32", 3)
        close(self, kiln.prelu(x, weight), np.where(x > 0, x, x * weight), "float32", "y")
        dx, dweight = kiln.prelu_backward(dy, x, weight)
        close(self, dx, np.where(x > 0, dy, dy * weight), "float32", "dx")
        close(self, dweight, np.where(x > 0, 0, dy * x).sum((0, 2), keepdims=True), "float32",
              "dweight", 8)


class Reductions(unittest.TestCase):
    def test_reduce_any_axes(self):
        functions = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min}
        x = data((3, 4, 5), "float32", 1)
        for name, function in functions.items():
            for axis in (None, 0, -1, (0, 2), (1,)):
                for keepdims in (False, True):
                    with self.subTest(name=name, axis=axis, keepdims=keepdims):
                        truth = np.asarray(function(x.astype(float), axis=axis, keepdims=keepdims))
                        close(self, kiln.reduction(x, name, axis, keepdims=keepdims), truth,
                              "float32", name)

    def test_norms_have_parameters(self):
        x = data((3, 4), "float32", 1)
        close(self, kiln.reduction(x, "norm_lp_sum", 1, p=2, eps=0.5),
              np.sqrt((x.astype(float) ** 2).sum(1) + 0.5), "float32", "norm")


class Moves(unittest.TestCase):
    def test_weighted_sum_adds(self):
        a, b, other = (data((3, 4), "float32", seed) for seed in (1, 2, 3))
        close(self, kiln.weighted_sum([a, b, other], [1, -2, 0.5]), a - 2.0 * b + 0.5 * other,
              "float32", "sum")
        with self.assertRaisesRegex(ValueError, "1 scales for 2 tensors"):
            kiln.weighted_sum([a, b], [1])

    def test_concat_joins_along_each_axis(self):
        for dtype in (*TYPES, "int8", "uint8", "int32"):
            for axis in (0, 1, -1):
                with self.subTest(dtype=dtype, axis=axis):
                    shapes = [[2, 3, 4], [2, 3, 4]]
                    shapes[1][axis] = 5
                    parts = [(10 * data(shape, float, i)).clip(0, 100).astype(dtype)
                             for i, shape in enumerate(shapes)]
                    np.testing.assert_array_equal(kiln.concat(parts, axis),
                                                  np.concatenate(parts, axis))
        with self.assertRaisesRegex(ValueError, r"tensors\[1\] has shape"):
            kiln.concat([np.ones((2, 3), np.float32), np.ones((2, 4), np.float32)])

    def test_shuffle_mixes_groups(self):
        x = data((2, 12, 3), "float32", 1)
        expected = x.reshape(2, 3, 4, 3).transpose(0, 2, 1, 3).reshape(2, 12, 3)
        np.testing.assert_array_equal(kiln.shuffle(x, 3), expected)
        np.testing.assert_array_equal(kiln.shuffle_backward(expected, 3), x)
        with self.assertRaisesRegex(ValueError, "must divide 12"):
            kiln.shuffle(x, 5)

    def test_reorder_converts_and_transposes(self):
        x = data((3, 4, 5), "float32", 1)
        np.testing.assert_array_equal(kiln.reorder(x, "float16"), x.astype(np.float16))
        out = np.empty((5, 4, 3), np.float32).transpose(2, 1, 0)
        self.assertIs(kiln.reorder(x, out=out), out)
        np.testing.assert_array_equal(out, x)
        quantized = kiln.reorder(x, "int8", dst_scale=0.05)
        np.testing.assert_array_equal(quantized, np.rint(x / np.float32(0.05)).clip(-128, 127))
        close(self, kiln.reorder(quantized, "f32", src_scale=0.05), quantized * 0.05, "float32", "x")


if __name__ == "__main__":
    unittest.main()
