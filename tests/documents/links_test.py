#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the documents: every link leads to a file and, after a #, to a heading; every path that a
document or a source file cites below doc/ exists; every page is reached from README.md; the pages of
operations have the same sections.

Usage: links_test.py [PROJECT_FOLDER]; exits with 1 after printing what is wrong.
"""

import re
import sys
import unittest
from pathlib import Path

PROJECT = Path(sys.argv.pop() if len(sys.argv) > 1 and Path(sys.argv[-1]).is_dir()
               else Path(__file__).resolve().parents[2])

# The sections of each operation's page in their order; of these, what every page has. A page may have
# others between them. What a page does not have is in doc/primitives/README.md, for all operations.
SECTIONS = ["Formulas", "Flags and propagation kinds", "Arguments", "Shapes and types", "Layouts",
            "Attributes", "Refusals", "Numbers", "Implementations", "Speed",
            "Differences from oneDNN v3.13.1", "A program"]
REQUIRED = {"Formulas", "Arguments", "Shapes and types", "Implementations", "A program"}

SOURCES = ["src", "include", "benchdnn", "tests", "examples", "scripts", "doc", "cmake", "python"]
TEXTS = {".cpp", ".hpp", ".h", ".c", ".py", ".sh", ".md", ".txt", ".cmake", ".in"}
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
CITED = re.compile(r"\bdoc/[\w/.-]+\.(?:md|csv|svg)\b")


def documents():
    found = sorted(PROJECT.glob("*.md")) + sorted((PROJECT / "third_party").glob("*.md"))
    for folder in SOURCES:
        found += sorted((PROJECT / folder).rglob("*.md"))
    return found


def without_code(text):
    """Fenced blocks and code spans hold no links."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "code", text)


def anchors(text):
    """The names that GitHub gives to headings."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    found = set()
    for heading in re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        found.add(name)
    return found


def links_of(file):
    return LINK.findall(without_code(file.read_text()))


def target_of(file, link):
    path = link.partition("#")[0]
    return (file.parent / path).resolve() if path else file


class LinksTest(unittest.TestCase):
    maxDiff = None

    def test_links_lead_somewhere(self):
        wrong = []
        for file in documents():
            for link in links_of(file):
                if re.match(r"^(https?|mailto):", link):
                    continue
                target, anchor = target_of(file, link), link.partition("#")[2]
                if not target.exists():
                    wrong.append(f"{file.relative_to(PROJECT)}: there is no {link}")
                elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
                    wrong.append(f"{file.relative_to(PROJECT)}: no heading {link}")
        self.assertEqual([], wrong)

    def test_cited_paths_exist(self):
        wrong = []
        for folder in SOURCES:
            for file in sorted((PROJECT / folder).rglob("*")):
                if file.suffix not in TEXTS or not file.is_file():
                    continue
                for path in CITED.findall(file.read_text(errors="replace")):
                    if not (PROJECT / path).exists():
                        wrong.append(f"{file.relative_to(PROJECT)}: there is no {path}")
        self.assertEqual([], wrong)

    def test_pages_of_operations_have_the_same_sections(self):
        wrong = []
        for path in sorted((PROJECT / "src/cpu/lists").glob("*_list.cpp")):
            page = PROJECT / "doc/primitives" / (path.name[: -len("_list.cpp")] + ".md")
            found = re.findall(r"^## (.+)$", page.read_text(), re.MULTILINE) if page.exists() else []
            known = [name for name in found if name in SECTIONS]
            if known != sorted(known, key=SECTIONS.index) or not REQUIRED <= set(known):
                wrong.append(f"{page.relative_to(PROJECT)}: {found}")
        self.assertEqual([], wrong)

    def test_every_page_is_reached_from_the_readme(self):
        reached, open_files = set(), [PROJECT / "README.md"]
        while open_files:
            file = open_files.pop()
            if file in reached or not file.exists():
                continue
            reached.add(file)
            open_files += [t for link in links_of(file) if not link.startswith("http")
                           for t in [target_of(file, link)] if t.suffix == ".md"]
        pages = set((PROJECT / "doc").rglob("*.md")) | set(PROJECT.glob("*.md"))
        lost = sorted(str(page.relative_to(PROJECT)) for page in pages - reached)
        self.assertEqual([], lost)


if __name__ == "__main__":
    unittest.main()
