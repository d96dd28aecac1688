# SPDX-License-Identifier: Apache-2.0
"""Reads the project's documents: their fenced blocks, commands and programs."""

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
FOLDERS = ["doc", "python", "examples", "third_party"]


@dataclass
class Block:
    file: str
    line: int  # of its first line
    language: str
    text: str


@dataclass
class Command:
    file: str
    line: int
    text: str
    exit_code: int = 0
    output: list = field(default_factory=list)  # lines that a console block shows


def documents(project=PROJECT):
    found = sorted(project.glob("*.md"))
    for folder in FOLDERS:
        found += sorted((project / folder).rglob("*.md"))
    return found


def blocks(file, project=PROJECT):
    name, inside = str(file.relative_to(project)), None
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        fence = re.match(r"^\s*```(\w*)", line)
        if fence and inside is None:
            inside = Block(name, number + 1, fence.group(1), "")
        elif fence:
            yield inside
            inside = None
        elif inside is not None:
            inside.text += line + "\n"


def indented_blocks(file):
    """Line numbers of paragraphs that are indented like code, outside of lists and fences."""
    fenced, before, in_list = False, "", False
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if re.match(r"^\s*([-*]|\d+\.) ", line):
            in_list = True
        elif line and not line.startswith(" "):
            in_list = False
        if not fenced and not in_list and not before and re.match(r"^ {4}\S", line):
            yield number
        before = line.strip()


def is_open(text):
    """A quotation goes on in the next line."""
    try:
        shlex.split(text, comments=True)
    except ValueError:
        return True
    return False


def commands_of(block):
    """Lines of sh; of console those behind a prompt, with their output and the exit code that `echo $?`
    shows."""
    found, joined, first, asks_for_code = [], "", 0, False
    for offset, line in enumerate(block.text.splitlines()):
        if not joined and block.language == "console":
            if asks_for_code:
                found[-1].exit_code, asks_for_code = int(line), False
                continue
            if not line.startswith("$ "):
                if found:
                    found[-1].output.append(line)
                continue
            line = line[2:]
            if line == "echo $?":
                asks_for_code = True
                continue
        first = first if joined else block.line + offset
        joined += line
        if joined.endswith("\\"):
            joined = joined[:-1]
            continue
        if is_open(joined):
            joined += "\n"
            continue
        text = re.sub(r"\s+#.*$", "", joined).strip()
        joined = ""
        if text and not text.startswith("#"):
            found.append(Command(block.file, first, text))
    return found
