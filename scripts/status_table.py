#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes which operations exist, from the implementation lists (src/cpu/lists/*_list.cpp): their names and
those of what does not exist (src/common/operations/not_implemented.cpp) in README.md, a table with
their implementations in doc/primitives/README.md.

  status_table.py            writes both
  status_table.py --check    fails where a page is not what the sources say
"""

import re
import sys
import textwrap
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
README, PRIMITIVES = PROJECT / "README.md", PROJECT / "doc/primitives/README.md"
WIDTH = 150
BEGIN, END = "<!-- written by scripts/status_table.py -->", "<!-- end -->"


def implementations(path):
    return re.findall(r'^\s*\{(?:\.name = )?"((?:jit|ref):\w+)"', path.read_text(), re.MULTILINE)


def has_backward(operation, functions):
    return f"dnnl_{operation}_backward_" in functions


def in_sentence(name):
    return name[0].lower() + name[1:] if name[1].islower() else name


def title_of(page):
    return page.read_text().splitlines()[0].lstrip("# ")


class Operation:
    def __init__(self, path, functions):
        name = path.name[: -len("_list.cpp")]
        self.page = PROJECT / f"doc/primitives/{name}.md"
        self.implementations = implementations(path)
        if not self.page.exists() or not self.implementations:
            sys.exit(f"status_table.py: {path.name} has no page {self.page.name}, or no implementations")
        self.has_backward = has_backward(name, functions)
        self.title = title_of(self.page)

    def link(self, title, folder=""):
        return f"[{title}]({folder}{self.page.name})"

    def names(self, kind):
        return ", ".join(f"`{name}`" for name in self.implementations if name.startswith(kind))


def operations():
    functions = (PROJECT / "tests/api/exported_functions.txt").read_text()
    return [Operation(path, functions) for path in sorted((PROJECT / "src/cpu/lists").glob("*_list.cpp"))]


def table(found):
    rows = ["| operation | directions | generated code | otherwise |", "| --- | --- | --- | --- |"]
    for one in found:
        ways = "forward, backward" if one.has_backward else "forward"
        rows.append(f"| {one.link(one.title)} | {ways} | {one.names('jit')} | {one.names('ref')} |")
    return "\n".join(rows)


def summary(found):
    def links(has_backward):
        return ", ".join(one.link(in_sentence(one.title), "doc/primitives/") for one in found if one.has_backward == has_backward)

    lines = [f"- **Forward and backward**: {links(True)}.", f"- **Forward**: {links(False)}.", missing()]
    return "\n".join("\n  ".join(textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False))
                     for line in lines)


def missing():
    text = (PROJECT / "src/common/operations/not_implemented.cpp").read_text()
    found = re.findall(r"^// ([^\n.]+)\n(?=NOT_YET|(?://[^\n]*\n)*NOT_YET)", text, re.MULTILINE)
    names = [in_sentence(name) for name in found]
    return "- **Not implemented** (`dnnl_unimplemented`, with a reason): " + ", ".join(names) + "."


def main():
    found, is_right = operations(), True
    for page, content in ((README, summary(found)), (PRIMITIVES, table(found))):
        text = page.read_text()
        begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
        written = f"{text[:begin]}\n{content}\n{text[end:]}"
        if "--check" not in sys.argv:
            page.write_text(written)
        elif written != text:
            print(f"{page.relative_to(PROJECT)} is not what the sources say; run scripts/status_table.py")
            is_right = False
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
