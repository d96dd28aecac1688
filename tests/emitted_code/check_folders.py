#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks all kernels that ONEDNN_JIT_DUMP wrote to some folders, and prints how many there are.

Usage: check_folders.py FOLDER...; exits with 1 after printing what is wrong.
"""

import hashlib
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from emitted_code import LEVELS, check_files, level_of

BATCH = 200
MOST_PRINTED = 20


def variants(folders, pool):
    """Code -> one of its files, of the lowest level: what passes there passes at the levels above.
    A file whose name has no level is checked, too, and fails."""
    files = [file for folder in folders for file in Path(folder).rglob("dnnl_dump_cpu_*.bin")]
    found = {}
    for file, digest in zip(files, pool.map(digest_of, files, chunksize=BATCH)):
        if digest not in found or rank_of(file) < rank_of(found[digest]):
            found[digest] = file
    return found


def digest_of(file):
    return hashlib.sha1(file.read_bytes()).digest()


def rank_of(file):
    level = level_of(file.name)
    return list(LEVELS).index(level) if level else -1


def main():
    wrong = {}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        files = list(variants(sys.argv[1:], pool).values())
        batches = [files[i:i + BATCH] for i in range(0, len(files), BATCH)]
        for faults in pool.map(check_files, batches):
            wrong.update(faults)
    for file, faults in list(wrong.items())[:MOST_PRINTED]:
        print(f"{file}:")
        for fault in faults[:MOST_PRINTED]:
            print(f"  {fault}")
    counts = [(level, sum(level_of(file.name) == level for file in files)) for level in LEVELS]
    print(f"{len(files)} distinct kernels ("
          + ", ".join(f"{count} {level}" for level, count in counts) + f"), {len(wrong)} wrong")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
