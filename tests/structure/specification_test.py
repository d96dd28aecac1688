#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every test that doc/internals/specification.md names exists.

Usage: specification_test.py; prints the names that do not exist and exits with 1.
"""

import re
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def known_tests():
    """Names as CTest shows them, without the parameters of GoogleTest."""
    names = set()
    for path in (PROJECT / "tests").rglob("*.cpp"):
        for suite, name in re.findall(r"^TEST(?:_P|_F)?\(\s*(\w+),\s*(\w+)\)", path.read_text(),
                                      re.MULTILINE):
            names.add(f"{suite}.{name}")
    examples = (PROJECT / "examples/CMakeLists.txt").read_text()
    names.update("example." + name for name in re.findall(r"kiln_example\((\w+) ", examples))
    for listed in re.findall(r"foreach\(name ([^)]*)\)", examples):  # in C++ and in C
        names.update(f"example.{name}{end}" for name in listed.split() for end in ("", "_c"))
    return names


def rows_without_test(text):
    """Rows of the tables with a column of tests that name none."""
    in_table = False
    for line in text.splitlines():
        if line.startswith("| statement"):
            in_table = "| test |" in line
        elif in_table and line.startswith("| ") and not re.search(r"`\w+\.\w+`", line):
            if not line.startswith("| ---"):
                yield line


def main():
    text = (PROJECT / "doc/internals/specification.md").read_text()
    known = known_tests()
    named = re.findall(r"`(\w+\.\w+)`", text)
    missing = sorted({name for name in named if name not in known})
    bare = list(rows_without_test(text))
    for name in missing:
        print(f"doc/internals/specification.md names {name}, which is not a test")
    for row in bare:
        print(f"doc/internals/specification.md has a statement without a test: {row}")
    print(f"{len(named)} tests are named")
    return 1 if missing or bare or not named else 0


if __name__ == "__main__":
    sys.exit(main())
