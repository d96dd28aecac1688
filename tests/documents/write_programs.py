#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the programs of the documents into two sources, one of C++ and one of C, whose main() runs
them all. Each becomes a function; their includes come first.

Usage: write_programs.py FOLDER
"""

import re
import sys
from pathlib import Path

from documents import blocks, documents

HEAD = "// Written by tests/documents/write_programs.py.\n"
MAIN = """
int main() {{
    static const struct {{
        const char *place;
        int (*run)();
    }} programs[] = {{
{rows}
    }};
    int failed = 0;
    for (const auto &program : programs) {{
        const int code = program.run();
        std::printf("%s: %d\\n", program.place, code);
        failed += code != 0;
    }}
    return failed == 0 && sizeof(programs) / sizeof(*programs) > 10 ? 0 : 1;
}}
"""


def as_function(text, name):
    """The program without its includes, its main() under a name; main() alone may lack a return."""
    text = re.sub(r"^#include .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\bint main\((?:void)?\)", name, text)
    end = text.rstrip().rindex("}")
    return text[:end].rstrip() + "\n    return 0;\n}\n"


def main():
    folder = Path(sys.argv[1])
    includes, bodies, rows = {"cpp": ["#include <cstdio>"], "c": []}, {"cpp": "", "c": ""}, []
    for file in documents():
        for block in blocks(file):
            if block.language not in bodies or "int main(" not in block.text:
                continue
            number = len(rows)
            includes[block.language] += re.findall(r"^#include .*$", block.text, re.MULTILINE)
            if block.language == "c":
                bodies["c"] += f"int program_{number}(void);\n"
                bodies["c"] += as_function(block.text, f"int program_{number}(void)") + "\n"
                bodies["cpp"] += f'extern "C" int program_{number}();\n'
            else:
                bodies["cpp"] += as_function(block.text, f"static int program_{number}()") + "\n"
            rows.append(f'        {{"{block.file}:{block.line}", program_{number}}},')
    bodies["cpp"] += MAIN.format(rows="\n".join(rows))
    for language, body in bodies.items():
        head = "\n".join(dict.fromkeys(includes[language]))
        (folder / f"document_programs.{language}").write_text(f"{HEAD}{head}\n\n{body}")


if __name__ == "__main__":
    main()
