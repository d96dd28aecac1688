# SPDX-License-Identifier: Apache-2.0
"""Computes ratios and their spread from times. Pure arithmetic."""

import math
import posixpath
from dataclasses import dataclass
from statistics import median
from typing import List, Optional

WITHIN, OUTSIDE, UNKNOWN = "within noise", "clear", "unknown"
RIGHT = ("PASSED", "MISTRUSTED")
NOT_OFFERED = ("UNIMPLEMENTED", "SKIPPED")


@dataclass
class Problem:
    """`line` identifies it; `knobs` and `descriptor` are its two parts."""

    line: str
    knobs: str
    descriptor: str
    name: str

    @property
    def label(self):
        return self.name or self.descriptor


def problem_of(line):
    words = line.split()
    if words[-1].startswith("--case="):  # a graph is named by its file
        path = words[-1].partition("=")[2]
        name = posixpath.splitext(posixpath.basename(path))[0]
        return Problem(line, " ".join(words[1:-1]), path, name)
    # No piece of a descriptor before the name contains an n.
    shape, _, name = words[-1].partition("n")
    return Problem(line, " ".join(words[1:-1]), shape.rstrip("_"), name.strip('"'))


@dataclass
class Side:
    """Milliseconds: each run's fastest execution, over all runs."""

    median_ms: float
    minimum_ms: float
    average_ms: float
    runs_ms: List[float]
    implementation: str
    roof_share: Optional[float]


@dataclass
class Row:
    """A compared problem. Ratios are peer / ours: above one, ours is faster."""

    problem: Problem
    threads: int
    ours: Side
    peer: Side
    ratio: float
    ratio_low: float
    ratio_high: float

    @property
    def has_roof(self):
        return self.ours.roof_share is not None and self.peer.roof_share is not None

    @property
    def run_ratios(self):
        return [peer / ours for ours, peer in zip(self.ours.runs_ms, self.peer.runs_ms)]

    @property
    def noise(self):
        if len(self.ours.runs_ms) < 2:
            return UNKNOWN
        return WITHIN if self.ratio_low <= 1 <= self.ratio_high else OUTSIDE


@dataclass
class Excluded:
    """A problem that is not compared; `is_failure` if it makes the exit code 1."""

    problem: Problem
    threads: int
    reason: str
    is_failure: bool


@dataclass
class Summary:
    """Over the compared problems of a set; the spread is that of the means of the repeats."""

    mean: float
    mean_low: float
    mean_high: float
    worst: Row
    count: int
    within_noise: int


def _side(measurements):
    shares = [one.roof_share for one in measurements if one.roof_share is not None]
    times = [one.best_ms for one in measurements]
    return Side(
        median(times),
        min(times),
        median(one.average_ms for one in measurements),
        times,
        measurements[-1].implementation,
        median(shares) if shares else None,
    )


def compare(problem, threads, ours, peer):
    """Lists of measurements, a pair for each repeat. The ratio of the medians is between theirs."""
    ours, peer = _side(ours), _side(peer)
    row = Row(problem, threads, ours, peer, peer.median_ms / ours.median_ms, 0, 0)
    row.ratio_low, row.ratio_high = min(row.run_ratios), max(row.run_ratios)
    return row


def exclusion(problem, threads, ours, peer):
    """Why two verdicts forbid a comparison, or None. It is not a failure if the peer, or neither
    library, supports the problem."""
    if ours.state in RIGHT and peer.state in RIGHT:
        return None
    if peer.state in NOT_OFFERED and ours.state in RIGHT:
        return Excluded(problem, threads, f"peer: {_in_words(peer)}", False)
    if peer.state in NOT_OFFERED and ours.state in NOT_OFFERED:
        return Excluded(problem, threads, f"both: {_in_words(peer)}", False)
    return Excluded(problem, threads, f"ours: {ours}, peer: {peer}", True)


def _in_words(verdict):
    return verdict.state.lower() + (f" ({verdict.reason})" if verdict.reason else "")


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def summary_of(rows):
    if not rows:
        return None
    by_run = [geometric_mean(ratios) for ratios in zip(*(row.run_ratios for row in rows))]
    mean = geometric_mean([row.ratio for row in rows])
    return Summary(
        mean,
        min(by_run + [mean]),
        max(by_run + [mean]),
        min(rows, key=lambda row: row.ratio),
        len(rows),
        sum(row.noise == WITHIN for row in rows),
    )


def groups_of(rows):
    """Rows grouped by thread count and knobs, in their order: [(threads, knobs, rows)]."""
    groups = {}
    for row in rows:
        groups.setdefault((row.threads, row.problem.knobs), []).append(row)
    return [(threads, knobs, members) for (threads, knobs), members in groups.items()]
