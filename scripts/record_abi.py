#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the C ABI that the public headers declare, in the format of libabigail.

Usage: record_abi.py FILE. tests/api/libdnnl.abi is the record; abidiff compares it with a new one
(scripts/trust/build.sh). It is written anew when the interface changes on purpose.

Each declared function gets an empty definition in a library with debug information, which abidw reads.
That the real library exports each of them is tested by exported_symbols_are_the_interface; that its
definitions are those of the headers is what the compiler checks. The few exported functions that no
header declares are not in it. Needs cc (or CC), abidw, and a configured build/, which has a header.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
INCLUDES = [f"-I{PROJECT / folder}" for folder in ("include", "build/include")]
HEADERS = ["oneapi/dnnl/dnnl.h", "oneapi/dnnl/dnnl_graph.h", "oneapi/dnnl/dnnl_debug.h",
           "oneapi/dnnl/dnnl_threadpool.h", "kiln/version.h"]
CC = os.environ.get("CC", "cc")
# A declaration: what precedes a name of the interface, the name, its parameters.
FUNCTION = re.compile(r"^(?!typedef)[\w \t\n*()]*?\b((?:dnnl|kiln)_\w+)\s*\([^;{}]*\)\s*;", re.MULTILINE)


def definitions():
    source = "".join(f"#include <{header}>\n" for header in HEADERS)
    text = subprocess.run([CC, "-E", "-P", *INCLUDES, "-x", "c", "-"], input=source,
                          capture_output=True, text=True, check=True).stdout
    names = []

    def define(match):
        names.append(match[1])
        return match[0].rstrip().removesuffix(";") + " { __builtin_trap(); }\n"

    text = re.sub(r'__attribute__\s*\(\([^()]*(\([^()]*\))?[^()]*\)\)', "", text)
    types = re.findall(r"}\s*((?:dnnl|kiln)_\w+)\s*;", text)
    # A variable of each type records those, too, that functions take as integers.
    variables = "".join(f"{type_name} record_of_{type_name};\n" for type_name in types)
    return FUNCTION.sub(define, text) + variables, names


def main():
    text, names = definitions()
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "libdnnl.so"
        (Path(folder) / "interface.c").write_text(text)
        subprocess.run([CC, "-g", "-w", "-shared", "-fPIC", "-o", library,
                        Path(folder) / "interface.c"], check=True)
        subprocess.run(["abidw", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path",
                        "--no-elf-needed", "--no-parameter-names", "--type-id-style", "hash",
                        "--out-file", sys.argv[1], library], check=True)
    record = Path(sys.argv[1])
    record.write_text("".join(line.lstrip() + "\n" for line in record.read_text().splitlines()))
    print(f"{len(names)} functions")


if __name__ == "__main__":
    main()
