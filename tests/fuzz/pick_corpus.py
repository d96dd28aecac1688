#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Picks a small corpus from a large one: the inputs that together cover most, the best first.

Usage: pick_corpus.py FUZZER NEW_CORPUS MOST_FILES MOST_BYTES CORPUS...
NEW_CORPUS must not exist. FUZZER is a program of libFuzzer, whose merge lists what inputs cover.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def covered(fuzzer, corpora):
    """File -> the set of features (an edge and how often it was taken) that it covers."""
    with tempfile.TemporaryDirectory() as folder:
        control = Path(folder) / "control"
        merged = Path(folder) / "merged"
        merged.mkdir()
        subprocess.run([fuzzer, "-merge=1", f"-merge_control_file={control}", merged, *corpora],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Two numbers and a name, the names of files, then "FT NUMBER FEATURE..." for each file.
        lines = control.read_text().splitlines()
        names = lines[2:2 + int(lines[0])]
        features = {}
        for line in lines[2 + len(names):]:
            words = line.split()
            if words[0] == "FT":
                features[names[int(words[1])]] = set(words[2:])
        return features


def picked(features, most_files, most_bytes):
    """Takes the input that adds most features, again and again, within the limits."""
    chosen, seen, size = [], set(), 0
    left = dict(features)
    while left and len(chosen) < most_files:
        name, new = max(left.items(), key=lambda item: len(item[1] - seen))
        del left[name]
        bytes_of_file = os.path.getsize(name)
        if not new - seen:
            break
        if size + bytes_of_file > most_bytes:
            continue
        chosen.append(name)
        seen |= new
        size += bytes_of_file
    total = len(set().union(*features.values()))
    print(f"{len(chosen)} files, {size} bytes, {len(seen)} of {total} features")
    return chosen


def main():
    fuzzer, new_corpus, most_files, most_bytes, *corpora = sys.argv[1:]
    os.makedirs(new_corpus)
    for name in picked(covered(fuzzer, corpora), int(most_files), int(most_bytes)):
        digest = hashlib.sha1(Path(name).read_bytes()).hexdigest()[:12]
        shutil.copyfile(name, Path(new_corpus) / digest)


if __name__ == "__main__":
    main()
