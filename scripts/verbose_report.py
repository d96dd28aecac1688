#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums up a log of verbose mode: time by primitive, implementation and problem, what ran on reference
code and why, and a timeline.

    ONEDNN_VERBOSE=all ONEDNN_VERBOSE_TIMESTAMP=1 my_program >log
    scripts/verbose_report.py log --html report.html

ONEDNN_VERBOSE=profile suffices for the times. Lines that are not verbose mode's are skipped."""

import argparse
import sys
from pathlib import Path

from verbose import log, page, summary


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="*", default=["-"], metavar="LOG",
                        help="files; - or nothing is the standard input")
    parser.add_argument("--html", metavar="FILE", help="write a page with the tables and a timeline")
    parser.add_argument("--top", type=int, default=30, metavar="N",
                        help="problems in a table at most (30)")
    words = parser.parse_args()
    lines = []
    for name in words.logs:
        try:
            text = sys.stdin.read() if name == "-" else Path(name).read_text(errors="replace")
        except OSError as error:
            parser.error(f"{name}: {error.strerror}")
        lines += text.splitlines()
    found = log.read(lines)
    if not found.events and not found.graph_events and not found.messages:
        print("There are no lines of executions or creations; set ONEDNN_VERBOSE=profile or all.",
              file=sys.stderr)
        return 1
    try:
        print(summary.as_text(found, words.top), end="")
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()  # the reader has seen enough
    if words.html:
        Path(words.html).write_text(page.page(found, words.top))
        print(f"page: {words.html}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
