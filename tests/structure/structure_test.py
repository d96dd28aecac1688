#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the structure of the sources: include cycles, dependencies between folders, the size of
folders, that files which serve every operation name none, and that pipes of scripts cannot fail by
chance.

Usage: structure_test.py [PROJECT_FOLDER]; exits with 1 after printing what is wrong.
"""

import re
import sys
import unittest
from pathlib import Path

PROJECT = Path(sys.argv.pop() if len(sys.argv) > 1 and Path(sys.argv[-1]).is_dir()
               else Path(__file__).resolve().parents[2])

# What each folder of src may include besides itself. A name stands for the folder alone, a name
# that ends in "/" for the folder and all below it.
COMMON = ["common/"]
JIT = COMMON + ["cpu/x64", "cpu/x64/jit/"]
SHAPES = JIT + ["cpu", "cpu/x64/layout"]
OPERATIONS = SHAPES + ["cpu/x64/rows", "cpu/x64/columns", "cpu/x64/channels", "cpu/x64/nests"]
MAY_INCLUDE = {
    "common/": COMMON,
    "cpu": COMMON + ["cpu/reference"],
    "cpu/lists": COMMON + ["cpu", "cpu/"],  # they name every implementation
    "cpu/runtime": COMMON + ["cpu"],
    "cpu/reference": COMMON + ["cpu"],
    "cpu/reference/normalization": COMMON + ["cpu", "cpu/reference"],
    "cpu/reference/products": COMMON + ["cpu", "cpu/reference"],
    "cpu/x64": JIT + ["cpu", "cpu/x64/layout"],
    "cpu/x64/jit/": JIT,
    "cpu/x64/layout": COMMON + ["cpu/x64"],
    "cpu/x64/rows": SHAPES + ["cpu/x64/nests"],
    "cpu/x64/columns": SHAPES + ["cpu/x64/rows"],
    "cpu/x64/channels": SHAPES + ["cpu/x64/rows", "cpu/x64/columns"],
    "cpu/x64/nests": SHAPES,
    "cpu/x64/matrix": SHAPES + ["cpu/x64/nests"],
    "cpu/x64/matmul": OPERATIONS + ["cpu/x64/matrix"],
    "cpu/x64/": OPERATIONS,  # every other folder there is an operation's
    "graph/op": COMMON,
    "graph/memory": COMMON + ["graph/op"],
    "graph/schema": COMMON + ["graph/op"],
    "graph/shapes": COMMON + ["graph/op", "graph/schema"],
    "graph/operations": COMMON + ["graph/op", "graph/schema", "graph/shapes"],
    "graph/dump": COMMON + ["graph/op", "graph/schema"],
    "graph/lowering": COMMON + ["graph/op", "graph/memory", "graph/schema", "graph/shapes"],
    "graph/fusion": COMMON + ["graph/op", "graph/schema", "graph/lowering"],
    "graph/partition": COMMON + ["graph/op", "graph/memory", "graph/schema", "graph/shapes",
                                 "graph/dump", "graph/lowering", "graph/fusion"],
    "graph/api": COMMON + ["graph/op", "graph/memory", "graph/schema", "graph/dump",
                           "graph/partition"],
}

# Files that serve every operation, and the words that name one.
GENERIC = [
    "src/common/*.?pp", "src/common/attributes/*", "src/common/memory/*", "src/common/primitive/*",
    "src/common/verbose/*", "src/cpu/engine.cpp", "src/cpu/parallel.hpp", "src/cpu/runtime/*", "src/cpu/x64/*.?pp",
    "src/cpu/x64/jit/**/*", "src/cpu/x64/layout/*", "src/cpu/x64/rows/*", "src/cpu/x64/columns/*",
    "src/cpu/x64/channels/*", "src/cpu/x64/nests/*", "src/cpu/x64/matrix/*", "src/graph/lowering/request.*", "src/graph/lowering/program.?pp",
    "src/graph/api/*", "src/graph/dump/*", "src/graph/memory/*", "src/graph/partition/*", "src/graph/schema/*",
    "src/graph/fusion/rule.hpp", "src/graph/fusion/group.hpp", "benchdnn/common/**/*",
]
OPERATION = re.compile(
    r"(layer|batch|group|instance|rms)_?norm|[lbg]norm\b|normalization|reorder_(pd|desc)"
    r"|softmax|matmul|inner_?product|(shuffle|reduction|eltwise|binary|prelu|concat|sum)_(pd|desc)_t", re.IGNORECASE)
# Tables that list the names of the public interface, and where each is explained.
EXEMPT = {
    "src/common/verbose/debug.cpp": "texts of the interface's enumerators",
    "src/common/verbose/verbose_options.cpp": "components that ONEDNN_VERBOSE filters by",
    "src/common/types.hpp": "short names for the interface's types",
    "src/common/unlisted_functions.hpp": "prototypes that the public headers lack",
}

MOST_FILES = 40


def sources():
    return [f for f in sorted((PROJECT / "src").rglob("*.?pp")) if f.is_file()]


def name_of(file):
    return file.relative_to(PROJECT / "src").as_posix()


def includes():
    """File -> the files of src that it includes."""
    known = {name_of(f) for f in sources()}
    found = {}
    for file in sources():
        lines = re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE)
        found[name_of(file)] = [i for i in lines if i in known]
    return found


def folder_of(name):
    return name.rpartition("/")[0]


def matches(folder, entry):
    return (folder + "/").startswith(entry) if entry.endswith("/") else folder == entry


class StructureTest(unittest.TestCase):
    maxDiff = None
    def test_no_header_includes_itself_through_others(self):
        graph, done, path = includes(), set(), []

        def visit(name):
            if name in path:
                self.fail("include cycle: " + " -> ".join(path[path.index(name):] + [name]))
            if name in done:
                return
            path.append(name)
            for included in graph[name]:
                visit(included)
            path.pop()
            done.add(name)

        for name in graph:
            visit(name)

    def test_folders_include_only_what_lies_below_them(self):
        wrong = []
        for name, included in includes().items():
            folder = folder_of(name)
            rows = [row for row in MAY_INCLUDE if matches(folder, row)]
            self.assertTrue(rows, f"src/{folder} has no row in MAY_INCLUDE")
            allowed = MAY_INCLUDE[folder if folder in rows else max(rows, key=len)]
            for other in included:
                to = folder_of(other)
                if to != folder and not any(matches(to, entry) for entry in allowed):
                    wrong.append(f"{name} includes {other}")
        self.assertEqual([], wrong)

    def test_folders_are_small(self):
        counts = {}
        for root in ("src", "benchdnn", "tests", "doc", "examples", "scripts"):
            for file in (PROJECT / root).rglob("*"):
                # Batch files and cases are data.
                if file.is_file() and "inputs" not in file.parts and "__pycache__" not in file.parts:
                    counts[file.parent] = counts.get(file.parent, 0) + 1
        large = {str(f.relative_to(PROJECT)): n for f, n in counts.items() if n > MOST_FILES}
        self.assertEqual({}, large)

    def test_pipes_of_scripts_are_read_to_their_end(self):
        """With pipefail, a program whose reader ends early makes the pipeline fail by SIGPIPE."""
        early = re.compile(r"(?<!\|)\|(?!\|)\s*(grep\s+(-\w*q|-\w*m|--quiet)|head\b|sed\b[^|]*\bq\b|awk\b[^|]*\bexit\b)")
        files = [file for folder in ("scripts", "tests", "python", ".ci")
                 for file in sorted((PROJECT / folder).rglob("*"))
                 if file.suffix == ".sh" or file.name == "run"]
        self.assertGreater(len(files), 10)
        for file in files:
            text = file.read_text()
            for line in text.splitlines() if "pipefail" in text else []:
                with self.subTest(file=file.relative_to(PROJECT).as_posix(), line=line):
                    self.assertFalse(early.search(line))

    def test_files_that_serve_every_operation_name_none(self):
        wrong = []
        for pattern in GENERIC:
            for file in sorted(PROJECT.glob(pattern)):
                name = file.relative_to(PROJECT).as_posix()
                if not file.is_file() or name in EXEMPT:
                    continue
                for number, line in enumerate(file.read_text().splitlines(), 1):
                    if OPERATION.search(line):
                        wrong.append(f"{name}:{number}: {line.strip()}")
        self.assertEqual([], wrong)


if __name__ == "__main__":
    unittest.main()
