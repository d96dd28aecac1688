# SPDX-License-Identifier: Apache-2.0
"""Tensors of PyTorch, compared with PyTorch's own functions; skipped where it is not installed."""

import importlib.util
import unittest
from pathlib import Path

try:
    import torch
except ImportError:
    torch = None

import kiln
from truth import TOLERANCE

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@unittest.skipIf(torch is None, "PyTorch is not installed")
class Torch(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        torch.set_num_threads(1)

    def close(self, got, expected, dtype, factor=2):
        self.assertIsInstance(got, torch.Tensor)
        self.assertEqual(got.shape, expected.shape)
        expected = expected.double()
        limit = factor * TOLERANCE[str(dtype)[6:]] * max(1.0, expected.abs().max().item())
        self.assertLessEqual((got.double() - expected).abs().max().item(), limit)

    def each_type(self):
        return (torch.float32, torch.float64, torch.bfloat16)

    def with_gradients(self, function, dtype, *tensors):
        """The result of PyTorch's function in double, a gradient of the result, and those of the
        arguments. The arguments' values are representable in `dtype`."""
        wide = [tensor.to(dtype).double().requires_grad_() for tensor in tensors]
        y = function(*wide)
        dy = torch.randn(y.shape).to(dtype)
        y.backward(dy.double())
        return y.detach(), dy, [tensor.grad for tensor in wide]

    def test_layer_norm_agrees(self):
        for dtype in self.each_type():
            with self.subTest(dtype=dtype):
                x, weight, bias = torch.randn(6, 96) + 1, torch.randn(96), torch.randn(96)
                expected, dy, gradients = self.with_gradients(
                    lambda x, w, b: torch.nn.functional.layer_norm(x, (96,), w, b), dtype, x, weight,
                    bias)
                x, weight, bias = (t.to(dtype) for t in (x, weight, bias))
                y, *stats = kiln.layer_norm(x, weight, bias, return_stats=True)
                self.assertEqual(y.dtype, dtype)
                self.close(y, expected, dtype)
                for got, truth in zip(kiln.layer_norm_backward(dy, x, *stats, weight), gradients):
                    self.close(got, truth, dtype, 10)

    def test_batch_and_group_norm_agree_in_both_memory_formats(self):
        for dtype in self.each_type():
            for memory_format in (torch.contiguous_format, torch.channels_last):
                for groups in (None, 1, 4, 8):
                    with self.subTest(dtype=dtype, memory_format=memory_format, groups=groups):
                        self.check_channels(dtype, memory_format, groups)

    def check_channels(self, dtype, memory_format, groups):
        functional = torch.nn.functional
        x, weight, bias = torch.randn(3, 8, 6, 5) + 1, torch.randn(8), torch.randn(8)
        # Statistics, weight and bias are float32.
        weight, bias = weight.bfloat16().float(), bias.bfloat16().float()
        x = x.contiguous(memory_format=memory_format)
        if groups is None:
            def truth(x, w, b):
                return functional.batch_norm(x, None, None, w, b, training=True)
        else:
            def truth(x, w, b):
                return functional.group_norm(x, groups, w, b)
        expected, dy, gradients = self.with_gradients(truth, dtype, x, weight, bias)
        narrow = torch.float32 if dtype == torch.float64 else dtype
        x, dy = x.to(dtype), dy.contiguous(memory_format=memory_format)
        if groups is None:
            y, *stats = kiln.batch_norm(x, weight, bias, return_stats=True)
            got = kiln.batch_norm_backward(dy, x, *stats, weight)
        else:
            y, *stats = kiln.group_norm(x, groups, weight, bias, return_stats=True)
            got = kiln.group_norm_backward(dy, x, groups, *stats, weight)
        self.assertTrue(y.is_contiguous(memory_format=memory_format))
        self.close(y, expected, narrow)
        for part, expected_part in zip(got, gradients):
            self.close(part, expected_part, narrow, 20)

    def test_softmax_and_activations_agree(self):
        for dtype in self.each_type():
            with self.subTest(dtype=dtype):
                x = torch.randn(4, 50).to(dtype)
                self.close(kiln.softmax(x, 1), torch.softmax(x.double(), 1), dtype)
                self.close(kiln.softmax(x, 0, log=True), torch.log_softmax(x.double(), 0), dtype)
                self.close(kiln.eltwise(x, "gelu_erf"), torch.nn.functional.gelu(x.double()), dtype, 8)
                self.close(kiln.eltwise(x, "mish"), torch.nn.functional.mish(x.double()), dtype, 8)
                self.close(kiln.reorder(x, torch.float32), x.float(), torch.float32)

    def test_results_are_tensors_that_share_no_memory_with_arguments(self):
        x = torch.randn(4, 8)
        before = x.clone()
        y = kiln.layer_norm(x)
        y.zero_()
        self.assertTrue(torch.equal(x, before))

    def test_in_place_changes_the_tensor(self):
        x = torch.randn(4, 8)
        expected = kiln.layer_norm(x)
        self.assertIs(kiln.layer_norm(x, out=x), x)
        self.assertTrue(torch.equal(x, expected))

    def test_tensors_that_require_gradients_are_read(self):
        x = torch.randn(4, 8, requires_grad=True)
        self.assertFalse(kiln.layer_norm(x).requires_grad)

    def test_the_example_has_right_gradients(self):
        module = example("torch_layer_norm")
        arguments = [torch.randn(*shape, dtype=torch.double, requires_grad=True)
                     for shape in ((3, 7), (7,), (7,))]
        self.assertTrue(torch.autograd.gradcheck(
            lambda x, w, b: module.LayerNormFunction.apply(x, w, b, 1e-5), arguments))

    def test_the_example_trains(self):
        losses = example("torch_layer_norm").main()
        self.assertLess(losses[-1], losses[0] / 5)


if __name__ == "__main__":
    unittest.main()
