# SPDX-License-Identifier: Apache-2.0
"""Tensors in and out: strides, in place, DLPack, and what is refused."""

import ctypes
import gc
import re
import threading
import unittest
import weakref
from pathlib import Path

import numpy as np

import kiln
from kiln import _constants
from truth import close, data, normalize


class Exporter:
    """A tensor of an unknown library, which has nothing but DLPack."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return (self.device, 0)

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class Tensors(unittest.TestCase):
    def test_strides_are_those_of_the_array(self):
        base = data((6, 10, 8), "float32", 1)
        for name, x in (("slice", base[::2, 1:5]), ("transposed", base.transpose(1, 0, 2)),
                        ("innermost axis last but one", base.transpose(0, 2, 1)),
                        ("every second element", base[..., ::2]),
                        ("broadcast", np.broadcast_to(base[:1], (4, 10, 8)))):
            with self.subTest(name):
                before = base.copy()
                close(self, kiln.layer_norm(x), normalize(x, (-1,), None, None, 1e-5)[0], "float32",
                      name)
                np.testing.assert_array_equal(base, before)

    def test_out_is_written_and_nothing_else(self):
        x = data((4, 6), "float32", 1)
        buffer = np.full((4, 10), 7, np.float32)
        out = buffer[:, 2:8]
        self.assertIs(kiln.layer_norm(x, out=out), out)
        np.testing.assert_array_equal(out, kiln.layer_norm(x))
        self.assertTrue((buffer[:, :2] == 7).all() and (buffer[:, 8:] == 7).all())

    def test_in_place_gives_the_same(self):
        for name, function in (("layer_norm", kiln.layer_norm), ("softmax", kiln.softmax),
                               ("batch_norm", kiln.batch_norm),
                               ("eltwise", lambda x, **k: kiln.eltwise(x, "tanh", **k))):
            with self.subTest(name):
                x = data((4, 6), "float32", 1)
                expected = function(x)
                self.assertIs(function(x, out=x), x)
                np.testing.assert_array_equal(x, expected)

    def test_in_place_with_another_layout_is_refused(self):
        x = data((4, 4), "float32", 1)
        with self.assertRaisesRegex(ValueError, "out begins where x does"):
            kiln.layer_norm(x, out=x.T)

    def test_what_the_library_cannot_read_is_refused(self):
        x = data((4, 6), "float32", 1)
        records = np.zeros(4, [("a", "f4"), ("b", "i1")])["a"]
        read_only = np.empty_like(x)
        read_only.flags.writeable = False
        for error, text, call in (
                (TypeError, "x has dtype complex64", lambda: kiln.softmax(x * 1j)),
                (TypeError, "x has dtype >f4", lambda: kiln.softmax(x.astype(">f4"))),
                (TypeError, "x is a list", lambda: kiln.softmax([1.0, 2.0])),
                (TypeError, "dtype is 'f128'", lambda: kiln.softmax(x, dtype="f128")),
                (ValueError, "not negative", lambda: kiln.softmax(x[::-1])),
                (ValueError, "multiples of the element's size", lambda: kiln.softmax(records)),
                (ValueError, "out is read-only", lambda: kiln.softmax(x, out=read_only)),
                (ValueError, r"out has shape \(2,\)", lambda: kiln.softmax(x, out=np.ones(2, "f"))),
                (ValueError, "axis is 2; x has 2 axes", lambda: kiln.softmax(x, 2)),
                (ValueError, "not one run in memory", lambda: kiln.layer_norm(x[:, :3], ndim=2)),
                (ValueError, "ndim is 3", lambda: kiln.layer_norm(x, ndim=3)),
                (TypeError, "NumPy has no bfloat16", lambda: kiln.softmax(x, dtype="bf16")),
                (TypeError, "type 2; it must lie in the memory of the CPU",
                 lambda: kiln.softmax(Exporter(x, device=2)))):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()

    def test_dlpack_is_read_without_a_copy(self):
        x = data((4, 6), "float32", 1)
        np.testing.assert_array_equal(kiln.softmax(Exporter(x)), kiln.softmax(x))
        out = Exporter(np.empty_like(x))
        self.assertIs(kiln.softmax(x, out=out), out)
        np.testing.assert_array_equal(out.array, kiln.softmax(x))

    def test_dlpack_releases_what_it_read(self):
        x = data((4, 6), "float32", 1)
        alive = weakref.ref(x)
        kiln.softmax(Exporter(x))
        del x
        gc.collect()
        self.assertIsNone(alive())

    def test_threads_may_call_at_once(self):
        x = data((64, 96), "float32", 1)
        expected, results = kiln.layer_norm(x), {}

        def work(index):
            for _ in range(50):
                results[index] = kiln.layer_norm(x)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 4)
        for result in results.values():
            np.testing.assert_array_equal(result, expected)


class Errors(unittest.TestCase):
    def test_say_what_was_wrong(self):
        x = data((4, 6), "float32", 1)
        with self.assertRaises(kiln.InvalidArgumentsError) as caught:
            kiln.layer_norm(x, eps=-1)
        self.assertEqual(caught.exception.status, "invalid arguments")
        self.assertIn("epsilon is -1; it must be positive", str(caught.exception))
        self.assertIsInstance(caught.exception, ValueError)

    def test_say_why_no_implementation_takes_a_problem(self):
        with self.assertRaises(kiln.UnimplementedError) as caught:
            kiln.batch_norm(np.ones((2, 3, 4), np.uint8))
        self.assertTrue(any("u8" in reason for reason in caught.exception.reasons),
                        caught.exception.reasons)

    def test_do_not_disturb_the_next_call(self):
        x = data((4, 6), "float32", 1)
        expected = kiln.softmax(x)
        for _ in range(3):
            with self.assertRaises(kiln.KilnError):
                kiln.layer_norm(x, eps=0)
            np.testing.assert_array_equal(kiln.softmax(x), expected)


class Constants(unittest.TestCase):
    """The numbers of _constants.py are those of the headers, where the headers are at hand."""

    def test_are_those_of_the_headers(self):
        include = Path(__file__).resolve().parents[2] / "include/oneapi/dnnl"
        if not include.is_dir():
            self.skipTest("the headers are not here")
        text = "".join((include / name).read_text()
                       for name in ("dnnl_types.h", "dnnl_common_types.h"))
        values = {name: int(value, 0)
                  for name, value in re.findall(r"\b(dnnl_\w+) = (0x[0-9a-f]+|\d+)", text)}
        values.update((name, int(value, 0)) for name, value in re.findall(
            r"#define (DNNL_ARG_\w+) (0x[0-9a-f]+|\d+)\b", text))
        aliases = dict(re.findall(r"#define (DNNL_ARG_\w+) (DNNL_ARG_\w+)", text))
        expected = {f"dnnl_{name}": value for name, value in _constants.DATA_TYPES.items()}
        for prefix, table in (("eltwise", _constants.ELTWISE), ("binary", _constants.BINARY),
                              ("reduction", _constants.REDUCTION), ("softmax", _constants.SOFTMAX)):
            expected.update((f"dnnl_{prefix}_{name}", value) for name, value in table.items())
        for name in ("FORWARD_TRAINING FORWARD_INFERENCE BACKWARD BACKWARD_DATA USE_GLOBAL_STATS "
                     "USE_SCALE USE_SHIFT RMS_NORM").split():
            expected[f"dnnl_{name.lower()}"] = getattr(_constants, name)
        expected["dnnl_query_impl_info_str"] = _constants.QUERY_IMPLEMENTATION
        for name in ("SRC SRC_1 DST WEIGHTS DIFF_WEIGHTS MEAN VARIANCE SCALE SHIFT DIFF_SRC DIFF_DST "
                     "DIFF_SCALE DIFF_SHIFT MULTIPLE_SRC ATTR_SCALES").split():
            expected[f"DNNL_ARG_{name}"] = getattr(_constants, name)
        for name, value in expected.items():
            self.assertEqual(values.get(aliases.get(name, name)), value, name)

    def test_functions_are_declared_with_their_number_of_parameters(self):
        header = Path(__file__).resolve().parents[2] / "include/oneapi/dnnl"
        if not header.is_dir():
            self.skipTest("the headers are not here")
        from kiln._library import _PROTOTYPES, library
        text = (header / "dnnl.h").read_text() + (header / "dnnl_common.h").read_text()
        for name, types in _PROTOTYPES.items():
            declared = re.search(rf"\b{name}\(([^;]*)\);", text)
            self.assertIsNotNone(declared, name)
            self.assertEqual(len(types), declared[1].count(",") + 1, name)
            for kind, parameter in zip(types, declared[1].split(",")):
                wide = {ctypes.c_int64: "dnnl_dim_t", ctypes.c_float: "float"}.get(kind)
                self.assertEqual(wide is not None, bool(re.search(
                    r"\b(dnnl_dim_t|float)\b(?! *\*)", parameter)), f"{name}: {parameter}")
        self.assertIsNotNone(library)


if __name__ == "__main__":
    unittest.main()
