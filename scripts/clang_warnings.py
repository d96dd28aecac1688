#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles each file of a compilation database for its warnings alone: nothing is optimized or written.

Usage: clang_warnings.py BUILD_FOLDER [PART_OF_PATH...]; exits with 1 if a compiler fails. With parts of
paths, only files whose paths contain one of them.
"""

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def compiles(entry):
    words = shlex.split(entry["command"])
    output = words.index("-o")
    del words[output:output + 2]
    run = subprocess.run([*words, "-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True,
                         errors="replace")
    if run.returncode != 0 or run.stderr:
        print(f"{entry['file']}:\n{run.stderr}", flush=True)
    return run.returncode == 0


def main():
    entries = json.loads((Path(sys.argv[1]) / "compile_commands.json").read_text())
    parts = sys.argv[2:] or [""]
    chosen = {entry["file"]: entry for entry in entries if any(part in entry["file"] for part in parts)}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(compiles, chosen.values()))
    print(f"{len(results)} files, {results.count(False)} with errors")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
