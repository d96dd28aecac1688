# SPDX-License-Identifier: Apache-2.0
"""Matrix products, and post-ops of every operation, compared with NumPy in double."""

import unittest

import numpy as np

import kiln
from truth import close, data, normalize

TYPES = ["float32", "float64", "float16"]


def integers(shape, dtype, seed):
    low = -100 if dtype == "int8" else 0
    return np.random.default_rng(seed).integers(low, 100, shape).astype(dtype)


def relu(x):
    return np.maximum(x, 0)


class Matmul(unittest.TestCase):
    SHAPES = [((5, 7), (7, 3)), ((2, 5, 7), (7, 3)), ((2, 1, 5, 7), (3, 7, 4)), ((7,), (7, 3)),
              ((5, 7), (7,)), ((7,), (7,)), ((2, 5, 7), (7,)), ((7,), (2, 7, 3)), ((0, 7), (7, 3)),
              ((5, 0), (0, 3))]

    def test_is_that_of_numpy_for_each_shape(self):
        for dtype in TYPES:
            for left, right in self.SHAPES:
                with self.subTest(dtype=dtype, left=left, right=right):
                    a, b = data(left, dtype, 1), data(right, dtype, 2)
                    truth = np.asarray(a.astype(float) @ b.astype(float))
                    close(self, kiln.matmul(a, b), truth, dtype, "matmul")

    def test_takes_any_strides(self):
        a, b = data((7, 5), "float32", 1).T, data((3, 14), "float32", 2)[:, ::2].T
        close(self, kiln.matmul(a, b), a.astype(float) @ b, "float32", "matmul")

    def test_adds_a_bias_of_any_shape_that_is_broadcast(self):
        a, b = data((2, 5, 7), "float32", 1), data((7, 3), "float32", 2)
        for shape in ((), (3,), (5, 1), (2, 1, 3), (2, 5, 3)):
            with self.subTest(shape=shape):
                bias = np.asarray(data(shape, "float32", 3), np.float32)
                close(self, kiln.matmul(a, b, bias), a.astype(float) @ b + bias, "float32", "matmul")

    def test_of_integers_is_exact(self):
        for dtype in ("int8", "uint8"):
            a, b = integers((5, 67), dtype, 1), integers((67, 9), "int8", 2)
            exact = a.astype(int) @ b.astype(int)
            y = kiln.matmul(a, b)
            self.assertEqual(y.dtype, np.int32)
            np.testing.assert_array_equal(y, exact)
            y = kiln.matmul(a, b, a_zero_point=3, b_zero_point=-2, dtype="int32")
            np.testing.assert_array_equal(y, (a.astype(int) - 3) @ (b.astype(int) + 2))

    def test_of_quantized_data_has_scales(self):
        a, b = integers((5, 67), "uint8", 1), integers((67, 9), "int8", 2)
        columns = data((9,), "float32", 3)
        truth = 0.1 * columns * (a.astype(int) @ b.astype(int))
        close(self, kiln.matmul(a, b, a_scale=0.1, b_scale=columns), truth, "float32", "matmul", 4)
        y = kiln.matmul(a, b, a_scale=0.1, b_scale=0.02, y_scale=0.5, y_zero_point=7, dtype="uint8")
        expected = 0.1 * 0.02 / 0.5 * (a.astype(int) @ b.astype(int)) + 7
        self.assertLessEqual(np.abs(y.astype(float) - expected.clip(0, 255)).max(), 0.51)

    def test_of_integer_weights_has_scales_of_columns_and_groups(self):
        a, b = data((5, 64), "float32", 1), integers((64, 9), "int8", 2)
        for scale in (0.5, data((9,), "float32", 3), data((4, 9), "float32", 4), data((64, 9), "float32", 5)):
            with self.subTest(shape=np.shape(scale)):
                rows = np.repeat(scale, 64 // len(scale), 0) if np.ndim(scale) == 2 else scale
                close(self, kiln.matmul(a, b, b_scale=scale, fpmath="tf32"), a.astype(float) @ (b * rows),
                      "float32", "matmul", 8)
        with self.assertRaisesRegex(kiln.UnimplementedError, "need an fpmath mode"):
            kiln.matmul(a, b)

    def test_scales_of_both_operands_serve_blocks(self):
        a, b = integers((2, 6, 64), "int8", 1), integers((64, 9), "int8", 2)
        rows, columns = data((4, 9), "float32", 5), data((9,), "float32", 6)
        for shape in ((6, 1), (1, 4), (6, 4), (4,), (3, 8), (6, 64)):
            for b_scale in (columns, rows):
                with self.subTest(shape=shape, b_scale=b_scale.shape):
                    a_scale = data(shape, "float32", 3)
                    blocks = (1,) * (2 - len(shape)) + shape
                    whole = np.repeat(np.repeat(a_scale.reshape(blocks), 6 // blocks[0], 0), 64 // blocks[1], 1)
                    scaled = b * (np.repeat(rows, 16, 0) if b_scale is rows else columns).astype(float)
                    close(self, kiln.matmul(a, b, a_scale=a_scale, b_scale=b_scale), (a * whole) @ scaled,
                          "float32", "matmul", 8)
        with self.assertRaisesRegex(ValueError, r"a_scale has shape \(5, 1\); .* divide \(6, 64\)"):
            kiln.matmul(a, b, a_scale=np.ones((5, 1)))

    def test_zero_points_are_integers_of_32_bits(self):
        a, b = integers((5, 7), "uint8", 1), integers((7, 3), "int8", 2)
        for wrong, error in ((1.9, TypeError), ([1, 2], TypeError), (np.zeros(0, int), TypeError),
                             (2 ** 32 + 1, ValueError), (-2 ** 31 - 1, ValueError)):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(error, "a_zero_point is"):
                kiln.matmul(a, b, a_zero_point=wrong)
        np.testing.assert_array_equal(kiln.matmul(a, b, a_zero_point=np.int64(3), dtype="int32"),
                                      (a.astype(int) - 3) @ b.astype(int))

    def test_post_ops_follow_in_their_order(self):
        a, b, c = (data(s, "float32", i) for i, s in enumerate([(5, 7), (7, 3), (5, 1)]))
        out = data((5, 3), "float32", 4)
        truth = relu(a.astype(float) @ b + 0.5 * out) * c + 2 * 1.5
        y = kiln.matmul(a, b, post_ops=[("sum", 0.5), "relu", ("mul", c), ("linear", 1, 3)], out=out)
        self.assertIs(y, out)
        close(self, y, truth, "float32", "matmul")

    def test_of_a_vector_has_post_ops_of_its_shape(self):
        a, b, bias = data((7,), "float32", 1), data((7, 3), "float32", 2), data((3,), "float32", 3)
        close(self, kiln.matmul(a, b, bias, post_ops=[("mul", bias)]), (a.astype(float) @ b + bias) * bias,
              "float32", "matmul")

    def test_what_does_not_fit_is_refused(self):
        a, b = np.ones((5, 7), np.float32), np.ones((7, 3), np.float32)
        for wrong, message in (
                (lambda: kiln.matmul(a, b.T), "last extent of a must be the last but one of b"),
                (lambda: kiln.matmul(a, np.float32(1)), "an axis at least"),
                (lambda: kiln.matmul(a, b, out=np.ones((5, 4), np.float32)), "out has shape"),
                (lambda: kiln.matmul(a, b, b_scale=np.ones(4)), r"a number, or an array whose extents divide \(7, 3\)"),
                (lambda: kiln.matmul(a, b, b_scale=np.ones((4, 3))), r"whose extents divide \(7, 3\)"),
                (lambda: kiln.inner_product(a, b.T, weight_scale=np.ones(2)),
                 r"weight_scale has shape \(2,\); .* an array of shape \(3,\)"),
                (lambda: kiln.matmul(a, b, fpmath="bf8"), "fpmath is 'bf8'; it must be one of strict"),
                (lambda: kiln.matmul(np.ones((2, 5, 7), np.float32), np.ones((3, 7, 3), np.float32)),
                 r"a has shape \(2, 5, 7\) and b \(3, 7, 3\); their axes before the last two"),
                (lambda: kiln.matmul(a, b, np.ones((2, 5, 3), np.float32)), "bias has shape"),
                (lambda: kiln.matmul(a, np.ones((7, 7), np.float32), out=a), "out overlaps a")):
            with self.assertRaisesRegex(ValueError, message):
                wrong()
        with self.assertRaises(kiln.InvalidArgumentsError):
            kiln.matmul(a, b, np.ones((4,), np.float32))


class InnerProduct(unittest.TestCase):
    def test_is_a_product_of_matrices(self):
        for dtype in TYPES:
            for features in ((7,), (3, 4), (2, 3, 4)):
                with self.subTest(dtype=dtype, features=features):
                    x, weight = data((5, *features), dtype, 1), data((6, *features), dtype, 2)
                    bias, dy = data((6,), dtype, 3), data((5, 6), dtype, 4)
                    rows, columns = (t.astype(float).reshape(len(t), -1) for t in (x, weight))
                    truth = rows @ columns.T
                    close(self, kiln.inner_product(x, weight), truth, dtype, "y")
                    close(self, kiln.inner_product(x, weight, bias), truth + bias.astype(float), dtype, "y")
                    # Post-ops compute in float.
                    close(self, kiln.inner_product(x, weight, bias, post_ops=["relu"]),
                          relu(truth + bias.astype(float)), "float16" if dtype == "float16" else "float32",
                          "y with a post-op")
                    d = dy.astype(float)
                    got = kiln.inner_product_backward(dy, x, weight)
                    close(self, got.x, (d @ columns).reshape(x.shape), dtype, "dx")
                    close(self, got.weight, (d.T @ rows).reshape(weight.shape), dtype, "dweight")
                    close(self, got.bias, d.sum(0), dtype, "dbias")
                    self.assertIsNone(kiln.inner_product_backward(dy, x, weight, has_bias=False).bias)

    def test_of_quantized_data_has_scales(self):
        x, weight = integers((5, 67), "uint8", 1), integers((9, 67), "int8", 2)
        exact = x.astype(int) @ weight.T.astype(int)
        np.testing.assert_array_equal(kiln.inner_product(x, weight), exact)
        scales = data((9,), "float32", 3)
        close(self, kiln.inner_product(x, weight, x_scale=0.1, weight_scale=scales), 0.1 * scales * exact,
              "float32", "y", 4)

    def test_shapes_are_checked(self):
        with self.assertRaisesRegex(ValueError, r"\(samples, features...\)"):
            kiln.inner_product(np.ones((5, 7), np.float32), np.ones((7, 5), np.float32))


class PostOps(unittest.TestCase):
    """Each operation that has them."""

    def test_follow_every_forward_operation(self):
        x = data((2, 6, 5), "float32", 1)
        row, channel = data((5,), "float32", 2), data((6, 1), "float32", 3)
        wide = x.astype(float)
        exponentials = np.exp(wide - wide.max(-1, keepdims=True))
        softmax = exponentials / exponentials.sum(-1, keepdims=True)
        layer, _, _ = normalize(x, (-1,), None, None, 1e-5)
        groups, _, _ = normalize(x.reshape(2, 3, 10), (-1,), None, None, 1e-5)
        rms = wide / np.sqrt((wide ** 2).mean(-1, keepdims=True) + 1e-6)
        chain = [("linear", 2, 1), ("mul", row), ("add", channel)]
        for name, call, plain in (
                ("layer_norm", kiln.layer_norm, layer), ("rms_norm", kiln.rms_norm, rms),
                ("softmax", kiln.softmax, softmax), ("log_softmax", kiln.log_softmax, np.log(softmax)),
                ("group_norm", lambda x, **o: kiln.group_norm(x, 3, **o), groups.reshape(x.shape)),
                ("binary", lambda x, **o: kiln.binary(x, row, "sub", **o), wide - row),
                ("reorder", kiln.reorder, wide)):
            with self.subTest(name=name):
                close(self, call(x, post_ops=chain), (2 * plain + 1) * row + channel, "float32", name, 4)

    def test_follow_operations_that_have_some_kinds_alone(self):
        x, row = data((4, 6), "float32", 1), data((6,), "float32", 2)
        close(self, kiln.eltwise(x, "square", post_ops=[("sub", row)]), x.astype(float) ** 2 - row,
              "float32", "eltwise")
        batch, _, _ = normalize(x, (0,), None, None, 1e-5)
        close(self, kiln.batch_norm(x, post_ops=["relu"]), relu(batch), "float32", "batch_norm")
        with self.assertRaises(kiln.UnimplementedError):
            kiln.batch_norm(x, post_ops=[("add", row)])

    def test_prelu_has_slopes_that_are_broadcast(self):
        x, y = data((2, 6, 5, 3), "float32", 1), data((2, 6, 5, 3), "float32", 2)
        for shape in ((), (3,), (6, 1, 1), (2, 6, 5, 3), (1, 6, 1, 3), (2, 1, 5, 1)):
            slopes = np.asarray(data(shape, "float32", 3), np.float32)
            for order in ((0, 1, 2, 3), (3, 2, 1, 0)):
                with self.subTest(shape=shape, order=order):
                    strided = slopes if slopes.ndim < 4 else np.ascontiguousarray(
                        slopes.transpose(order)).transpose(np.argsort(order))
                    total = x.astype(float) + y
                    close(self, kiln.binary(x, y, "add", post_ops=[("prelu", strided)]),
                          np.where(total > 0, total, total * slopes), "float32", "binary")
        rows, slopes = data((2, 3, 4), "float32", 1), data((3, 4), "float32", 2)
        truth, _, _ = normalize(rows, (-1, -2), None, None, 1e-5)
        close(self, kiln.layer_norm(rows, ndim=2, post_ops=[("prelu", slopes)]),
              np.where(truth > 0, truth, truth * slopes), "float32", "layer_norm")
        with self.assertRaisesRegex(TypeError, "it must be f32"):
            kiln.softmax(rows, post_ops=[("prelu", slopes.astype(float))])

    def test_follow_a_reduction_with_and_without_its_axes(self):
        x, kept = data((3, 4, 5), "float32", 1), data((3, 5), "float32", 2)
        truth = relu(x.astype(float).sum(1) - kept)
        close(self, kiln.reduction(x, "sum", 1, post_ops=[("sub", kept), "relu"]), truth, "float32", "y")
        close(self, kiln.reduction(x, "sum", 1, keepdims=True, post_ops=[("sub", kept[:, None]), "relu"]),
              truth[:, None], "float32", "y")

    def test_of_several_normalized_axes_are_joined(self):
        x, tail, one = (data(s, "float32", i) for i, s in enumerate([(2, 3, 4), (3, 4), (2, 1, 1)]))
        truth, _, _ = normalize(x, (-1, -2), None, None, 1e-5)
        close(self, kiln.layer_norm(x, ndim=2, post_ops=[("add", tail), ("mul", one)]),
              (truth + tail) * one, "float32", "layer_norm")
        with self.assertRaisesRegex(ValueError, "along the normalized axes"):
            kiln.layer_norm(x, ndim=2, post_ops=[("add", np.ones(4, np.float32))])

    def test_of_sums_need_out(self):
        x, out = data((4, 6), "float32", 1), data((4, 6), "float32", 2)
        truth = 2.0 * x + 3.0 * out
        close(self, kiln.binary(x, x, "add", post_ops=[("sum", 3)], out=out), truth, "float32", "binary")
        with self.assertRaisesRegex(ValueError, "a sum, which reads out; pass out="):
            kiln.binary(x, x, "add", post_ops=["sum"])

    def test_are_kept_apart_in_the_cache(self):
        x = np.float32([[1, -2]])
        for scale in (1, 2, 3):
            np.testing.assert_array_equal(kiln.binary(x, 0, "add", post_ops=[("linear", scale)]), scale * x)

    def test_that_are_wrong_are_refused(self):
        x = np.ones((4, 6), np.float32)
        for wrong, error, message in (
                ("relu", TypeError, r"a sequence, e\.g\. \['relu'\]"), (["gelu"], ValueError, "post_ops"),
                (None, TypeError, "post_ops is None; it must be a sequence"),
                ([3], ValueError, r"post_ops\[0\] is 3"), ([()], ValueError, r"post_ops\[0\] is \(\)"),
                ([("relu", "x")], ValueError, r"post_ops\[0\] is \('relu', 'x'\)"),
                (["relu", "clip"], TypeError, r"post_ops\[1\]: clip needs alpha"),
                ([("add",)], ValueError, "post_ops"), ([("relu", 1, 2, 3)], ValueError, "post_ops"),
                ([("add", np.ones(4, np.float32))], ValueError, r"broadcast to \(4, 6\)"),
                ([("add", np.ones((1, 4, 6), np.float32))], ValueError, "broadcast to")):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(error, message):
                kiln.layer_norm(x, post_ops=wrong)
        with self.assertRaisesRegex(ValueError, "overlaps the operand"):
            kiln.layer_norm(np.ones((4, 6), np.float32), post_ops=[("add", x)], out=x)


class Dropout(unittest.TestCase):
    def test_drops_elements_and_scales_up_the_others(self):
        x, eye = data((2, 48, 20), "float32", 1), np.eye(20, dtype=np.float32)
        for name, call, plain in (
                ("softmax", kiln.softmax, kiln.softmax(x)), ("log_softmax", kiln.log_softmax, kiln.log_softmax(x)),
                ("eltwise", lambda x, **o: kiln.eltwise(x, "tanh", **o), np.tanh(x)),
                ("matmul", lambda x, **o: kiln.matmul(x, eye, **o), x)):
            with self.subTest(name=name):
                mask = np.full(x.shape, 7, np.uint8)
                y = call(x, dropout=kiln.Dropout(0.25, seed=2**40, offset=3, mask=mask))
                self.assertTrue(set(mask.flat) == {0, 1} and abs(mask.mean() - 0.75) < 0.05)
                close(self, y, plain.astype(float) * mask / 0.75, "float32", name)
                for other in (kiln.Dropout(0.25, 2**40, 4), kiln.Dropout(0.25, 2**40 + 1, 3)):
                    self.assertFalse(np.array_equal(call(x, dropout=other), y))
                np.testing.assert_array_equal(call(x, dropout=kiln.Dropout(0.25, 2**40, 3)), y)
                added = call(x, dropout=kiln.Dropout(0.25, 2**40, 3), post_ops=[("add", 1)])
                close(self, added, y.astype(float) + 1, "float32", name)

    def test_of_a_vector_has_a_mask_of_the_result(self):
        a, b, mask = data((7,), "float32", 1), data((7, 300), "float32", 2), np.zeros(300, np.uint8)
        y = kiln.matmul(a, b, dropout=kiln.Dropout(0.5, 1, 1, mask))
        close(self, y, 2 * mask * (a.astype(float) @ b), "float32", "matmul")

    def test_that_is_wrong_is_refused(self):
        x = np.ones((4, 6), np.float32)
        for wrong, error, message in (
                ((1.5, 1), ValueError, "probability of dropout is 1.5"),
                ((0.5, 2**63), ValueError, "seed of dropout is 9223372036854775808; it must fit in 64 bits"),
                ((0.5, 1, 0.5), TypeError, "offset of dropout is 0.5"),
                ((0.5, 1, 0, np.ones((4, 6))), TypeError, "mask of dropout has elements of f64; it must be u8"),
                ((0.5, 1, 0, np.ones((4, 5), np.uint8)), ValueError, "mask of dropout has shape")):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(error, message):
                kiln.softmax(x, dropout=kiln.Dropout(*wrong))


if __name__ == "__main__":
    unittest.main()
