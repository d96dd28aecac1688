# SPDX-License-Identifier: Apache-2.0
"""The command line of compare.py and its settings."""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import List

from comparison import ComparisonRefused

PROJECT = Path(__file__).resolve().parents[2]

ABOUT = """\
Runs benchdnn against this project's library and against another with the same interface, in
turns, after both gave right results. Prints a table and writes comparison.csv, comparison.html,
figures.csv and figures.svg into --output; draw_performance.py --adopt NAME puts the last two into
doc/performance.

Exit code: 0 when every problem was compared or is one that the peer does not implement, 1 when a
result was wrong or missing on either side (such problems are listed, not compared), 2 when the
comparison was refused."""

EXAMPLES = """\
examples:
  compare.py --peer /opt/onednn/lib
  compare.py --peer /opt/onednn/lib --threads 1,2 --inputs models
  compare.py --peer /opt/onednn/lib --repeats 9 -- --dir=BWD_DW --dt=f32,bf16 --flags=CH 4096x768"""


@dataclass
class Settings:
    peer: Path
    library: Path
    benchdnn: Path
    output: Path
    driver: str
    words: List[str]
    repeats: int
    max_ms: float
    threads: List[int]
    cpus: List[int]


def _numbers(text):
    try:
        values = [int(piece) for piece in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of numbers such as 1,2")
    if len(set(values)) != len(values):
        raise argparse.ArgumentTypeError(f"'{text}' names a number twice")
    return values


def _parser():
    parser = argparse.ArgumentParser(
        prog="compare.py",
        description=ABOUT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "--peer",
        required=True,
        type=Path,
        metavar="DIR",
        help="directory of the other libdnnl.so.3",
    )
    add("--driver", default="lnorm", help="benchdnn's driver (%(default)s)")
    add(
        "--inputs",
        action="append",
        default=[],
        metavar="FILE",
        help="batch file, as benchdnn --batch takes it; may be repeated (models)",
    )
    add(
        "words",
        nargs="*",
        metavar="WORD",
        help="after --: benchdnn's own words, knobs and problems, instead of or after --inputs",
    )
    add("--repeats", type=int, default=5, help="runs of each library, in turns (%(default)s)")
    add("--threads", type=_numbers, metavar="N,N", help="thread counts (1 and all CPUs)")
    add(
        "--cpus",
        type=_numbers,
        metavar="N,N",
        help="CPUs to pin to; n threads get the first n (all this process may use)",
    )
    add(
        "--max-ms",
        type=float,
        default=50,
        help="how long each problem runs, each time (%(default)s)",
    )
    add(
        "--output",
        type=Path,
        default=PROJECT / "build/comparison",
        metavar="DIR",
        help="where files go (build/comparison)",
    )
    add(
        "--benchdnn",
        type=Path,
        default=PROJECT / "build/benchdnn/benchdnn",
        metavar="PATH",
        help="the program (build/benchdnn/benchdnn)",
    )
    add(
        "--library",
        type=Path,
        default=PROJECT / "build/src",
        metavar="DIR",
        help="directory of this project's libdnnl.so.3 (build/src)",
    )
    return parser


def _check(settings):
    usable = sorted(os.sched_getaffinity(0))
    foreign = [cpu for cpu in settings.cpus if cpu not in usable]
    if foreign:
        raise ComparisonRefused(f"--cpus: this process may not use {foreign}, only {usable}")
    bad = [count for count in settings.threads if not 1 <= count <= len(settings.cpus)]
    if bad:
        raise ComparisonRefused(
            f"--threads: {bad} cannot be pinned to {len(settings.cpus)} CPUs, a CPU a thread"
        )
    if settings.repeats < 1:
        raise ComparisonRefused("--repeats: at least 1 (from 3 on the spread means something)")
    if not 10 <= settings.max_ms <= 60000:
        raise ComparisonRefused("--max-ms: benchdnn takes 10 to 60000")
    if not os.access(settings.benchdnn, os.X_OK) or not settings.benchdnn.is_file():
        raise ComparisonRefused(f"--benchdnn: there is no program {settings.benchdnn}")


def read(arguments):
    """Settings from words; wrong ones are refused here, before anything runs."""
    parsed = _parser().parse_args(arguments)
    words = [f"--batch={name}" for name in parsed.inputs] + parsed.words
    cpus = parsed.cpus or sorted(os.sched_getaffinity(0))
    settings = Settings(
        peer=parsed.peer,
        library=parsed.library,
        benchdnn=parsed.benchdnn,
        output=parsed.output,
        driver=parsed.driver.lstrip("-"),
        words=words or ["--batch=models"],
        repeats=parsed.repeats,
        max_ms=parsed.max_ms,
        threads=parsed.threads or sorted({1, len(cpus)}),
        cpus=cpus,
    )
    _check(settings)
    return settings
