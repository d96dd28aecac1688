#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every overload of a primitive descriptor's constructor in the C++ headers documents each of its
parameters by @param, in their order: editors show that."""

import re
import unittest
from pathlib import Path

HEADERS = Path(__file__).resolve().parents[2] / "include/oneapi/dnnl/cpp"
# The comment, and the parameters up to the one that every public overload ends with.
CONSTRUCTOR = re.compile(
    r"((?:^ +///.*\n)*)^ +(\w*primitive_desc\w*)\(((?:[^();{}]|\([^()]*\))*?\ballow_empty = false)\)", re.MULTILINE)


def names_of(parameters):
    depth, names, word = 0, [], ""
    for letter in parameters + ",":
        depth += letter in "<(" and 1 or letter in ">)" and -1 or 0
        if letter == "," and depth == 0:
            names.append(re.search(r"(\w+)$", word.split("=")[0].strip())[1])
            word = ""
        else:
            word += letter
    return names


class ParametersTest(unittest.TestCase):
    maxDiff = None

    def test_each_overload_documents_its_parameters(self):
        wrong, count = [], 0
        for header in sorted(HEADERS.rglob("*.hpp")):
            text = header.read_text()
            for found in CONSTRUCTOR.finditer(text):
                count += 1
                expected = names_of(found[3])
                documented = re.findall(r"/// @param (\w+) \S", found[1])
                if documented != expected:
                    line = text.count("\n", 0, found.start(2)) + 1
                    wrong.append(f"{header.name}:{line}: documents {documented}, has {expected}")
        self.assertEqual([], wrong)
        self.assertGreater(count, 70)


if __name__ == "__main__":
    unittest.main()
