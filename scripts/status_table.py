#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes README.md's table of operations from the implementation lists (src/cpu/*_list.cpp), and its
list of what does not exist from src/common/operations/not_implemented.cpp.

  status_table.py            writes README.md
  status_table.py --check    fails where README.md is not what the sources say
"""

import re
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
README = PROJECT / "README.md"
BEGIN, END = "<!-- written by scripts/status_table.py -->", "<!-- end -->"


def implementations(path):
    return re.findall(r'^\s*\{(?:\.name = )?"((?:jit|ref):\w+)"', path.read_text(), re.MULTILINE)


def has_backward(operation, functions):
    return f"dnnl_{operation}_backward_" in functions


def title_of(page):
    return page.read_text().splitlines()[0].lstrip("# ")


def table():
    functions = (PROJECT / "tests/api/exported_functions.txt").read_text()
    rows = ["| operation | directions | generated code | otherwise |", "| --- | --- | --- | --- |"]
    for path in sorted((PROJECT / "src/cpu").glob("*_list.cpp")):
        operation = path.name[: -len("_list.cpp")]
        page = PROJECT / f"doc/primitives/{operation}.md"
        names = implementations(path)
        if not page.exists() or not names:
            sys.exit(f"status_table.py: {path.name} has no page {page.name}, or no implementations")
        kinds = [[f"`{name}`" for name in names if name.startswith(kind)] for kind in ("jit", "ref")]
        ways = "forward, backward" if has_backward(operation, functions) else "forward"
        link = f"[{title_of(page)}](doc/primitives/{page.name})"
        rows.append(f"| {link} | {ways} | {', '.join(kinds[0])} | {', '.join(kinds[1])} |")
    return rows


def missing():
    text = (PROJECT / "src/common/operations/not_implemented.cpp").read_text()
    found = re.findall(r"^// ([^\n.]+)\n(?=NOT_YET|(?://[^\n]*\n)*NOT_YET)", text, re.MULTILINE)
    names = [name[0].lower() + name[1:] if name[1].islower() else name for name in found]
    return "Not implemented (`dnnl_unimplemented`, with a reason): " + ", ".join(names) + "."


def main():
    text = README.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    written = text[:begin] + "\n" + "\n".join(table()) + "\n\n" + missing() + "\n" + text[end:]
    if "--check" not in sys.argv:
        README.write_text(written)
    elif written != text:
        print("README.md's table is not what the sources say; run scripts/status_table.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
