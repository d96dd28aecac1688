# SPDX-License-Identifier: Apache-2.0
"""Tensors of 4 bits: reorders and matrix products, compared with NumPy on their numbers."""

import unittest

import numpy as np

import kiln
from truth import close, data

LEAST = {"int4": -8, "uint4": 0}


def numbers(shape, dtype, seed):
    return np.random.default_rng(seed).integers(LEAST[dtype], LEAST[dtype] + 16, shape)


def packed(values, dtype, axis=-1):
    """The numbers as `Packed`, by NumPy alone; their bytes are adjacent along the axis."""
    codes = np.moveaxis(values & 15, axis, -1).astype(np.uint8)
    pairs = np.ascontiguousarray(codes[..., ::2] | codes[..., 1::2] << 4)
    return kiln.Packed(np.moveaxis(pairs, -1, axis), dtype, axis)


class Packed(unittest.TestCase):
    def test_has_its_numbers(self):
        for dtype in LEAST:
            for axis in (0, 1, 2, -1, -3):
                with self.subTest(dtype=dtype, axis=axis):
                    values = numbers((4, 6, 8), dtype, 1)
                    tensor = packed(values, dtype, axis)
                    self.assertEqual(tensor.shape, values.shape)
                    np.testing.assert_array_equal(kiln.reorder(tensor, "float32"), values)

    def test_is_the_result_of_a_reorder(self):
        for dtype, least in LEAST.items():
            with self.subTest(dtype=dtype):
                x = np.float32([[-99, -8, -1, 0], [0.4, 1.6, 7, 99]])
                y = kiln.reorder(x, dtype)
                rounded = np.rint(x).astype(int).clip(least, least + 15)
                np.testing.assert_array_equal(y.data, packed(rounded, dtype).data)
                out = packed(np.zeros((2, 4), int), dtype, axis=0)
                self.assertIs(kiln.reorder(x, out=out), out)
                np.testing.assert_array_equal(kiln.reorder(out, "float32"), kiln.reorder(y, "float32"))

    def test_weights_have_scales_and_zero_points_of_columns_and_groups(self):
        a = data((5, 64), "float32", 1)
        for dtype in LEAST:
            values = numbers((64, 10), dtype, 2)
            for axis in (0, 1):
                weights = packed(values, dtype, axis)
                for shape in ((), (10,), (4, 10), (64, 10)):
                    with self.subTest(dtype=dtype, axis=axis, shape=shape):
                        scale = np.asarray(data(shape, "float32", 3))
                        zero = np.random.default_rng(4).integers(-5, 15, shape).astype(np.int32)
                        whole = [np.repeat(one, 64 // len(one), 0) if one.ndim == 2 else one for one in (scale, zero)]
                        truth = a.astype(float) @ ((values - whole[1]) * whole[0].astype(float))
                        y = kiln.matmul(a, weights, b_scale=scale, b_zero_point=zero, fpmath="tf32")
                        close(self, y, truth, "float32", "matmul", 8)

    def test_zero_points_of_bytes_are_those_of_words(self):
        a, weights = data((5, 64), "float32", 1), packed(numbers((64, 10), "uint4", 2), "uint4")
        zero = np.random.default_rng(4).integers(0, 15, (2, 10))
        results = [kiln.matmul(a, weights, b_scale=np.float32(0.5), b_zero_point=zero.astype(dtype), fpmath="tf32")
                   for dtype in ("int32", "int8", "uint8")]
        for one in results:
            np.testing.assert_array_equal(one, results[0])
        with self.assertRaisesRegex(TypeError, "b_zero_point has dtype float64; it must be int32, int8 or uint8"):
            kiln.matmul(a, weights, b_zero_point=np.ones(10), fpmath="tf32")
        with self.assertRaisesRegex(ValueError, r"b_zero_point has shape \(3,\); .* divide \(64, 10\)"):
            kiln.matmul(a, weights, b_zero_point=np.ones(3, np.int32), fpmath="tf32")

    def test_products_of_integers_are_exact(self):
        a = np.random.default_rng(1).integers(-100, 100, (5, 64)).astype(np.int8)
        for dtype in LEAST:
            values = numbers((64, 10), dtype, 2)
            np.testing.assert_array_equal(kiln.matmul(a, packed(values, dtype)), a.astype(int) @ values)

    def test_what_is_no_packed_tensor_is_refused(self):
        whole = np.zeros((4, 4), np.uint8)
        for wrong, error, reason in (
                (kiln.Packed(whole, "int8"), TypeError, "packed as 'int8'; it must be one of int4, uint4"),
                (kiln.Packed(whole.astype(np.int32), "int4"), TypeError, "elements of s32; they must be bytes"),
                (kiln.Packed(whole, "int4", 2), ValueError, "axis is 2; x has 2 axes"),
                (kiln.Packed(whole, "int4", 0), ValueError, "its packed axis, 0, must have 1"),
                (kiln.Packed(whole[:, ::2], "int4"), ValueError, "its packed axis, 1, must have 1")):
            with self.subTest(reason=reason), self.assertRaisesRegex(error, reason):
                kiln.reorder(wrong, "float32")
        with self.assertRaisesRegex(ValueError, "of int4 its last extent must be even"):
            kiln.reorder(np.zeros((4, 3), np.float32), "int4")
        with self.assertRaises(kiln.KilnError):
            kiln.layer_norm(packed(numbers((4, 6), "int4", 1), "int4"))

    def test_out_overlaps_no_packed_argument(self):
        both = np.zeros(64, np.uint8)
        x = kiln.Packed(both[:32].reshape(4, 8), "uint4")
        with self.assertRaisesRegex(ValueError, "out overlaps x"):
            kiln.reorder(x, out=kiln.Packed(both[16:48].reshape(4, 8), "int4"))
        kiln.reorder(x, out=kiln.Packed(both[32:].reshape(4, 8), "int4"))


if __name__ == "__main__":
    unittest.main()
