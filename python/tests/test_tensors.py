# SPDX-License-Identifier: Apache-2.0
"""Tensors in and out: strides, in place, DLPack, and what is refused."""

import ctypes
import gc
import re
import threading
import unittest
import weakref
from pathlib import Path
from unittest import mock

import numpy as np

import kiln
from kiln import _constants, _library
from truth import close, data, normalize


class Exporter:
    """A tensor of an unknown library, which has nothing but DLPack."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return (self.device, 0)

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


def calls_with_out():
    """For each function with `out`: a call with tensors of 8x8, how many it has, and which of them
    `out` may be. All columns and rows of what is passed as statistics are of that shape, too."""
    def norm_backward(function, *groups):
        def call(dy, x, **options):
            stats = np.ones(8 if not groups else (8, *groups), np.float32)
            return function(dy, x, *groups, stats, stats, **options).x
        return call

    def rms_norm_backward(dy, x, **options):
        return kiln.rms_norm_backward(dy, x, np.ones(8, np.float32), **options).x

    return {
        "layer_norm": (kiln.layer_norm, 1, [0]),
        "layer_norm with weight": (lambda x, w, **k: kiln.layer_norm(x, w, ndim=2, **k), 2, [0]),
        "layer_norm_backward": (norm_backward(kiln.layer_norm_backward), 2, [0]),
        "rms_norm": (kiln.rms_norm, 1, [0]),
        "rms_norm_backward": (rms_norm_backward, 2, [0]),
        "batch_norm": (kiln.batch_norm, 1, [0]),
        "batch_norm_backward": (norm_backward(kiln.batch_norm_backward), 2, [0]),
        "group_norm": (lambda x, **k: kiln.group_norm(x, 2, **k), 1, [0]),
        "group_norm_backward": (norm_backward(kiln.group_norm_backward, 2), 2, [0]),
        "instance_norm": (kiln.instance_norm, 1, [0]),
        "softmax": (kiln.softmax, 1, [0]),
        "log_softmax": (kiln.log_softmax, 1, [0]),
        "softmax_backward": (kiln.softmax_backward, 2, [0]),
        "eltwise": (lambda x, **k: kiln.eltwise(x, "tanh", **k), 1, [0]),
        "eltwise_backward": (lambda dy, x, **k: kiln.eltwise_backward(dy, x, "tanh", **k), 2, [0]),
        "binary": (lambda a, b, **k: kiln.binary(a, b, "sub", **k), 2, [0, 1]),
        "prelu": (kiln.prelu, 2, [0]),
        "weighted_sum": (lambda *t, **k: kiln.weighted_sum(t, [1, 2, 3], **k), 3, [0, 1, 2]),
        "shuffle": (lambda x, **k: kiln.shuffle(x, 2, **k), 1, []),
        "reorder": (lambda x, **k: kiln.reorder(x, src_scale=2.0, **k), 1, [0]),
    }


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

    def test_out_of_every_function_may_be_what_it_says_and_overlaps_nothing_else(self):
        for name, (function, count, in_place) in calls_with_out().items():
            # Squares, so that an argument's transpose has its shape, in a buffer with a row to spare.
            buffers = [data((9, 8), "float32", i) for i in range(count)]
            arguments = [np.abs(buffer[:8]) for buffer in buffers]
            expected = np.array(function(*arguments))
            for i in range(count):
                for kind, begin in (("itself", 0), ("transposed", 0), ("of another type", 0),
                                    ("a row further", 1)):
                    with self.subTest(name, argument=i, out=kind):
                        given = [buffer[:8] for buffer in map(np.abs, buffers)]
                        out = given[i].base[begin:begin + 8]
                        out = (out.T if kind == "transposed" else
                               out.view(np.int32) if kind == "of another type" else out)
                        if kind == "itself" and i in in_place:
                            self.assertIs(function(*given, out=out), out)
                            np.testing.assert_array_equal(out, expected)
                            continue
                        before = given[i].copy()
                        with self.assertRaisesRegex(ValueError, "out overlaps .*; it must lie elsewhere"):
                            function(*given, out=out)
                        np.testing.assert_array_equal(given[i], before)

    def test_out_may_lie_between_the_elements_of_an_argument(self):
        buffer = data((8, 16), "float32", 1)
        for name, x, out in (("halves of rows", buffer[:, :8], buffer[:, 8:]),
                             ("every second element", buffer[:, ::2], buffer[:, 1::2])):
            with self.subTest(name):
                expected = kiln.shuffle(x.copy(), 2)
                np.testing.assert_array_equal(kiln.shuffle(x, 2, out=out), expected)

    def test_results_of_reductions_overlap_nothing(self):
        x = data((4, 8), "float32", 1)
        with self.assertRaisesRegex(ValueError, "out overlaps x"):
            kiln.reduction(x, axis=1, out=x[:, 3])
        with self.assertRaisesRegex(ValueError, r"out overlaps tensors\[1\]"):
            kiln.concat([x[:2].copy(), x[2:]], out=x)

    def test_without_axes_are_one_element(self):
        x, weight = np.array(-2, np.float32), np.array(0.5, np.float32)
        for name, got, expected in (
                ("eltwise", kiln.eltwise(x, "abs"), 2), ("number", kiln.eltwise(-2.0, "abs"), 2),
                ("eltwise_backward", kiln.eltwise_backward(weight, x, "square"), -2),
                ("binary", kiln.binary(x, weight, "add"), -1.5),
                ("prelu", kiln.prelu(x, weight), -1),
                ("prelu_backward", kiln.prelu_backward(weight, x, weight)[0], 0.25),
                ("weighted_sum", kiln.weighted_sum([x, weight], [1, 2]), -1),
                ("reorder", kiln.reorder(x, "s8"), -2)):
            with self.subTest(name):
                self.assertEqual(got.shape, ())
                self.assertEqual(float(got), expected)

    def test_integers_of_numpy_are_integers(self):
        x, two = data((2, 4, 3), "float32", 1), np.int64(2)
        for name, function in (
                ("softmax", lambda n: kiln.softmax(x, n)), ("reduction", lambda n: kiln.reduction(x, axis=n)),
                ("reduction of several", lambda n: kiln.reduction(x, axis=(0, n))),
                ("concat", lambda n: kiln.concat([x, x], n)), ("shuffle", lambda n: kiln.shuffle(x, n)),
                ("layer_norm", lambda n: kiln.layer_norm(x, ndim=n)),
                ("group_norm", lambda n: kiln.group_norm(x, n))):
            with self.subTest(name):
                np.testing.assert_array_equal(function(two), function(2))
                with self.assertRaisesRegex(TypeError, "is 2.0; it must be an integer"):
                    function(2.0)

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

    def test_of_no_call_but_a_refused_description_come_from_a_second_call(self):
        """Calls of a library that counts them and gives each of its statuses in turn."""
        for name, statuses, count, is_success in (
                ("dnnl_softmax_forward_primitive_desc_create", [3, 3], 2, False),
                ("dnnl_memory_desc_create_with_strides", [2, 2], 2, False),
                ("dnnl_sum_primitive_desc_create", [2, 0], 2, True),
                ("dnnl_sum_primitive_desc_create", [1], 1, False),
                ("dnnl_primitive_execute", [2], 1, False), ("dnnl_primitive_execute", [5], 1, False),
                ("dnnl_primitive_create", [3], 1, False), ("dnnl_memory_create", [1], 1, False)):
            with self.subTest(name, statuses=statuses):
                calls, recording = iter(statuses), []
                fake = mock.Mock(kiln_record_refusals=recording.append,
                                 kiln_recorded_refusals=lambda: b"why")
                getattr(fake, name).side_effect = lambda: next(calls)
                with mock.patch.object(_library, "library", fake):
                    if is_success:
                        _library.check(name)
                    else:
                        with self.assertRaises(kiln.KilnError) as caught:
                            _library.check(name)
                        self.assertEqual(caught.exception.reasons, ["why"] * (count - 1))
                self.assertEqual(getattr(fake, name).call_count, count)
                self.assertEqual(recording, [1, 0] * (count - 1))

    def test_are_not_recorded_after_an_exception(self):
        recording = []
        fake = mock.Mock(kiln_record_refusals=recording.append)
        fake.dnnl_sum_primitive_desc_create.side_effect = [2, KeyboardInterrupt]
        with mock.patch.object(_library, "library", fake), self.assertRaises(KeyboardInterrupt):
            _library.check("dnnl_sum_primitive_desc_create")
        self.assertEqual(recording, [1, 0])

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
        expected.update({f"dnnl_fpmath_mode_{name}": value for name, value in _constants.FPMATH.items()})
        expected["dnnl_query_impl_info_str"] = _constants.QUERY_IMPLEMENTATION
        for name in ("SRC SRC_1 DST WEIGHTS DIFF_WEIGHTS MEAN VARIANCE SCALE SHIFT DIFF_SRC DIFF_DST "
                     "DIFF_SCALE DIFF_SHIFT MULTIPLE_SRC BIAS DIFF_BIAS ATTR_SCALES ATTR_ZERO_POINTS "
                     "ATTR_MULTIPLE_POST_OP_BASE ATTR_DROPOUT_OFFSET ATTR_DROPOUT_MASK "
                     "ATTR_DROPOUT_PROBABILITY ATTR_DROPOUT_SEED").split():
            expected[f"DNNL_ARG_{name}"] = getattr(_constants, name)
        for name, value in expected.items():
            self.assertEqual(values.get(aliases.get(name, name)), value, name)

    def test_the_version_is_that_of_the_header(self):
        header = Path(__file__).resolve().parents[2] / "include/kiln/version.h"
        if not header.is_file():
            self.skipTest("the headers are not here")
        numbers = re.findall(r"#define KILN_VERSION_\w+ (\d+)", header.read_text())
        self.assertEqual(kiln.__version__, ".".join(numbers))

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
