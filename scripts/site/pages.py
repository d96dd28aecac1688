#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the documents into a folder in the form that Doxygen understands: headings get names, links
between pages become references, links to pictures stay, links to examples become their paths and
links to other files their text.

Usage: pages.py FOLDER
"""

import re
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
# Pages whose links make the tree of the site; a page hangs below the first one that links it.
PARENTS = ["README.md", "doc/README.md", "doc/primitives/README.md", "doc/decisions/README.md"]


def pages():
    found = [PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
    return [page for page in found + sorted((PROJECT / "doc").rglob("*.md"))]


def name_of(page):
    words = page.relative_to(PROJECT).with_suffix("").as_posix()
    return "page_" + re.sub(r"\W", "_", words).lower()


def anchor_of(heading):
    """As GitHub names it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def tree(known):
    """Page -> its parent."""
    parent = {}
    for name in PARENTS:
        page = PROJECT / name
        for _, _, link in LINK.findall(page.read_text()):
            target = (page.parent / link.partition("#")[0]).resolve()
            is_child = target in known and target != page and "#" not in link
            if is_child and name != "README.md" or target.name in ("CHANGELOG.md",) or \
                    target == PROJECT / "doc/README.md":
                if target != PROJECT / "README.md":
                    parent.setdefault(target, page)
    return parent


def block(text):
    language, _, lines = text[3:].partition("\n")
    kind = {"cpp": ".cpp", "c": ".c", "python": ".py"}.get(language, ".unparsed")
    return f"~~~~{{{kind}}}\n" + lines[: -len("```")] + "~~~~"


class Writer:
    def __init__(self):
        self.known = set(pages())
        self.parent = tree(self.known)
        self.told = set()  # children whose \subpage was written

    def reference(self, page, match):
        is_picture, text, link = match.groups()
        if re.match(r"https?:", link):
            return match.group(0)
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if is_picture:
            return f'<img src="{target.name}" alt="{text}"/>'
        if target.suffix == ".svg":
            return f'<a href="{target.name}">{text}</a>'
        if target.is_relative_to(PROJECT / "examples") and target.is_file():
            return f"`{target.relative_to(PROJECT)}`"
        if target not in self.known:
            return text
        name = name_of(target) + ("_" + anchor.replace("-", "_") if anchor else "")
        plain = re.sub(r"\s+", " ", text.replace("`", "").replace('"', "'"))
        if not anchor and self.parent.get(target) == page and target not in self.told:
            self.told.add(target)
            return f'\\subpage {name} "{plain}"'
        return f'\\ref {name} "{plain}"'

    def heading(self, page, match):
        marks, title = match.groups()
        name = name_of(page)
        if len(marks) > 1:
            name += "_" + anchor_of(title).replace("-", "_")
        return f"{marks} {title.replace('`', '')} {{#{name}}}"

    def prose(self, page, text):
        text = re.sub(r"^<!--.*-->$", "", text, flags=re.MULTILINE)
        text = re.sub(r"\[`([^`\]]*)`\](?=\()", r"[\1]", text)  # links whose text is code
        text = re.sub(r"^(#+) (.*)$", lambda match: self.heading(page, match), text,
                      flags=re.MULTILINE)
        text = LINK.sub(lambda match: self.reference(page, match), text)
        return text

    def text_of(self, page):
        text = page.read_text(encoding="utf-8")
        parts = re.split(r"^(```\w*\n.*?^```)$", text, flags=re.MULTILINE | re.DOTALL)
        return "".join(block(part) if part.startswith("```") else self.prose(page, part)
                       for part in parts)

    def write(self, folder):
        for page in sorted(self.known, key=lambda page: PARENTS.index(str(page.relative_to(PROJECT)))
                           if str(page.relative_to(PROJECT)) in PARENTS else len(PARENTS)):
            target = folder / page.relative_to(PROJECT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.text_of(page), encoding="utf-8")


if __name__ == "__main__":
    Writer().write(Path(sys.argv[1]))
