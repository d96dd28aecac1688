#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no operation is missing in a tester of trust: each function that creates a primitive
descriptor, or computes without one, is called by the fuzzer, the differential tester, the faults and
the load of threads; each driver of benchdnn is run by the scripts with lists of problems and is known to the fuzzer of command lines.

Usage: testers_test.py [PROJECT_FOLDER]; exits with 1 after printing what is missing.
"""

import re
import sys
import unittest
from pathlib import Path

PROJECT = Path(sys.argv.pop() if len(sys.argv) > 1 and Path(sys.argv[-1]).is_dir()
               else Path(__file__).resolve().parents[2])

# Sources of each tester.
TESTERS = {
    "the fuzzer": ["tests/fuzz/operations/*.cpp"],
    "the differential tester": ["tests/differential/*.cpp", "tests/normalization/problem.cpp"],
    "the faults": ["tests/faults/*_cases.cpp"],
    "the load of concurrency and of the long run": ["tests/trust/workload*.cpp"],
}
# Not by the differential tester, whose problems have descriptors: they execute what matmul does.
WITHOUT_DESCRIPTORS = ["sgemm", "gemm_u8s8s32", "gemm_s8s8s32"]
# Other attributes are part of the tests of attributes.
ATTRIBUTES = ["dropout", "scales", "zero_points", "post_ops"]
LISTS = ["scripts/trust/determinism.sh", "scripts/trust/processors.sh",
         "tests/fuzz/command_lines/words.dict", "tests/fuzz/command_lines/corpus/*"]


def read(pattern):
    return "\n".join(file.read_text(errors="replace") for file in sorted(PROJECT.glob(pattern)))


def operations():
    """Names of the exported functions that are implemented, as in eltwise_forward."""
    declared = re.findall(r"\bdnnl_(\w+?)_primitive_desc_create(?:_v\d)?\(",
                          read("include/oneapi/dnnl/*.h"))
    missing = read("src/common/operations/not_implemented.cpp")
    return sorted({name for name in declared
                   if f"dnnl_{name}_primitive_desc_create" not in missing})


def code(pattern):
    """The sources without their comments."""
    return re.sub(r"//.*|/\*.*?\*/", "", read(pattern))


def creates(operation, text):
    """Whether the text names the operation's function of C, or its class or function of C++."""
    return re.search(rf"\bdnnl_{operation}(_primitive_desc_create(_v\d)?)?\b|\bdnnl::{operation}\b",
                     text) is not None


def drivers():
    return sorted(folder.name for folder in (PROJECT / "benchdnn/inputs").iterdir()
                  if folder.is_dir())


class Testers(unittest.TestCase):
    def test_there_are_operations_and_drivers(self):
        self.assertGreater(len(operations()), 15)
        self.assertIn("matmul", operations())
        self.assertNotIn("convolution_forward", operations())
        self.assertGreater(len(drivers()), 10)

    def test_an_operation_is_a_call_and_no_word(self):
        for text in ("dnnl_sum_primitive_desc_create(pd)", "dnnl_sum_primitive_desc_create_v2(pd)",
                     "dnnl::sum::primitive_desc pd(engine)"):
            self.assertTrue(creates("sum", text))
        for text in ("sum += x;", "append_sum(", "sum_t sum;", "dnnl_sum_or_concat(", "dnnl::summary"):
            self.assertFalse(creates("sum", text))

    def test_every_operation_is_in_every_tester(self):
        for tester, patterns in TESTERS.items():
            text = "\n".join(code(pattern) for pattern in patterns)
            for name in operations():
                with self.subTest(tester=tester, operation=name):
                    self.assertTrue(creates(name, text))

    def test_functions_without_descriptors_are_in_testers(self):
        for tester in ("the fuzzer", "the faults", "the load of concurrency and of the long run"):
            text = "\n".join(code(pattern) for pattern in TESTERS[tester])
            for name in WITHOUT_DESCRIPTORS:
                with self.subTest(tester=tester, function=name):
                    self.assertTrue(creates(name, text))

    def test_every_driver_is_in_every_list(self):
        for files in LISTS:
            text = read(files)
            for name in drivers():
                with self.subTest(files=files, driver=name):
                    self.assertTrue(re.search(rf"--{name}\b", text))

    def test_attributes_are_in_the_fuzzer(self):
        text = read("tests/fuzz/operations/*.cpp")
        for name in ATTRIBUTES:
            with self.subTest(attribute=name):
                self.assertTrue(f"dnnl_primitive_attr_set_{name}" in text)


if __name__ == "__main__":
    unittest.main()
