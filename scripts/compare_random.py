#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares this library's speed with another's on random problems, and prints those that are slower
in every run; see doc/guide/benchdnn.md."""

import argparse
import dataclasses
import sys

from comparison import ComparisonRefused, command_line, report, random_problems, session
from comparison.figures import summary_of

FASTER, SLOWER, REFUSED = 0, 1, 2


def _parser():
    parser = argparse.ArgumentParser(
        prog="compare_random.py",
        description=__doc__,
        epilog="Further words are those of compare.py: --peer DIR, --threads 1,2, --max-ms 20, ...",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "--drivers",
        default=",".join(random_problems.NORMALIZATIONS),
        help="a comma list of " + ", ".join(random_problems.DRIVERS) + " (%(default)s)",
    )
    add("--seed", type=int, default=1, help="of the shapes (%(default)s)")
    add("--count", type=int, default=200, help="how many are drawn (%(default)s)")
    add("--part", default="1/1", metavar="K/N", help="the K-th of N shares of them (%(default)s)")
    add("--below", type=float, default=0.97, help="the ratio peer/ours to report (%(default)s)")
    return parser


def _part(text, problems):
    place, _, count = text.partition("/")
    if not (place.isdigit() and count.isdigit() and 1 <= int(place) <= int(count)):
        raise ComparisonRefused(f"--part: '{text}' is not K/N such as 1/4")
    return problems[int(place) - 1 :: int(count)]


def _drivers(text):
    drivers = text.split(",")
    for driver in drivers:
        if driver not in random_problems.DRIVERS:
            known = ", ".join(random_problems.DRIVERS)
            raise ComparisonRefused(f"--drivers: '{driver}' is not one of {known}")
    return drivers


def _settings_of(driver, problems, words):
    """compare.py's settings. Every problem sets all knobs, so those of others do not remain."""
    own = [word for of, its in problems if of == driver for word in its]
    settings = command_line.read(["--repeats", "3", "--driver", driver] + words + ["--"] + own)
    return dataclasses.replace(settings, output=settings.output / f"random_{driver}")


def slow_rows(rows, below):
    """Those that are slower in every run."""
    return [row for row in rows if max(row.run_ratios) < below]


def _lines_of(rows, below):
    for threads, members in report.by_threads(rows):
        summary = report.summary_text(summary_of(members), report.full_label)
        yield f"{report.threads_text(threads)}: {summary}"
    slow = slow_rows(rows, below)
    yield f"{len(slow)} below {below:g} in every run" + (":" if slow else "")
    for row in sorted(slow, key=lambda row: row.ratio):
        runs = " ".join(f"{ratio:.2f}" for ratio in row.run_ratios)
        times = f"{report.milliseconds(row.peer.median_ms)} / {report.milliseconds(row.ours.median_ms)}"
        where = f"{report.threads_text(row.threads)}, {row.ours.implementation}"
        yield f"  {row.ratio:.2f} ({runs}) {times} ms, {where}: {row.problem.line}"


def main(arguments):
    parsed, words = _parser().parse_known_args(arguments)
    rows, excluded = [], []
    try:
        drivers = _drivers(parsed.drivers)
        problems = _part(parsed.part, random_problems.drawn(parsed.seed, parsed.count, drivers))
        for driver in drivers:
            if not any(of == driver for of, _ in problems):
                continue
            settings = _settings_of(driver, problems, words)
            compared = session.Session(settings).run()
            session.write_files(compared, settings.output)
            rows += compared.rows
            excluded += compared.excluded
            print(f"== {driver}", *_lines_of(compared.rows, parsed.below), sep="\n", flush=True)
    except (ComparisonRefused, OSError) as refused:
        print(f"compare_random.py: {refused}", file=sys.stderr)
        return REFUSED
    for one in excluded:
        print(f"not compared, {report.threads_text(one.threads)}: {one.problem.line}: {one.reason}")
    failed = any(one.is_failure for one in excluded)
    return SLOWER if failed or slow_rows(rows, parsed.below) else FASTER


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
