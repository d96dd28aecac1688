# SPDX-License-Identifier: Apache-2.0
"""Which library benchdnn loads with a directory in the loader's path."""

import hashlib
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from comparison import ComparisonRefused

# Variables of the user's environment that change what a library does, or which one is loaded.
DROPPED_VARIABLES = re.compile(r"^(ONEDNN|DNNL|KILN)_|^LD_(PRELOAD|DEBUG|TRACE)|^(OMP|GOMP|KMP)_")


@dataclass
class Library:
    """One side: `side` is "ours" or "peer"; `info` is its description of itself in verbose mode."""

    side: str
    directory: Path
    file: Path
    digest: str
    info: str = ""

    def description(self):
        told = self.info or "it told nothing about itself"
        return f"{self.file}, SHA-256 {self.digest[:16]}; {told}"


def environment(directory, **more):
    kept = {name: value for name, value in os.environ.items() if not DROPPED_VARIABLES.match(name)}
    # The libraries may find their dependencies in the user's directories.
    paths = [str(Path(directory).resolve()), kept.get("LD_LIBRARY_PATH", "")]
    kept["LD_LIBRARY_PATH"] = ":".join(filter(None, paths))
    kept.update(more)
    return kept


def loaded_file(benchdnn, directory):
    """Asks the loader, since an rpath in the program takes precedence over LD_LIBRARY_PATH."""
    trace = subprocess.run(
        [str(benchdnn)],
        env=environment(directory, LD_TRACE_LOADED_OBJECTS="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
        errors="replace",
    ).stdout
    for line in trace.splitlines():
        match = re.match(r"\s*(\S*libdnnl\S*)(?: => (\S.*?))?(?: \(0x[0-9a-f]+\))?$", line)
        if match:
            return match.group(2) or match.group(1)
    raise ComparisonRefused(
        f"{benchdnn} loads no libdnnl when it starts (is it linked statically?),"
        " so no other can be put in its place"
    )


def identify(side, benchdnn, directory):
    directory = Path(directory)
    if not directory.is_dir():
        raise ComparisonRefused(f"{side}: there is no directory {directory}")
    name = loaded_file(benchdnn, directory)
    file = Path(name)
    if "not found" in name or not file.is_file():
        raise ComparisonRefused(f"{side}: the loader finds no libdnnl in {directory}")
    if not os.path.samefile(file.parent, directory):
        raise ComparisonRefused(
            f"{side}: with {directory} in the loader's path, benchdnn still loads {file}"
        )
    return Library(
        side, directory.resolve(), file.resolve(), hashlib.sha256(file.read_bytes()).hexdigest()
    )


def identify_both(benchdnn, ours, peer):
    pair = identify("ours", benchdnn, ours), identify("peer", benchdnn, peer)
    if pair[0].file.samefile(pair[1].file) or pair[0].digest == pair[1].digest:
        raise ComparisonRefused(
            f"both sides are the same library: {pair[0].file} and {pair[1].file}"
        )
    return pair
