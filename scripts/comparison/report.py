# SPDX-License-Identifier: Apache-2.0
"""The contents of a report, whatever its format."""

from dataclasses import dataclass
from typing import List, Tuple

from comparison.figures import Excluded, Row, UNKNOWN, WITHIN


@dataclass
class Report:
    """`facts` are pairs of a name and its value; `notes` are for the reader of the figures."""

    rows: List[Row]
    excluded: List[Excluded]
    facts: List[Tuple[str, str]]
    commands: List[str]
    notes: List[str]

    @property
    def has_roof(self):
        return any(row.has_roof for row in self.rows)

    @property
    def is_failed(self):
        return any(one.is_failure for one in self.excluded)


def by_threads(rows):
    """[(thread count, its rows)]."""
    counts = sorted({row.threads for row in rows})
    return [(count, [row for row in rows if row.threads == count]) for count in counts]


def threads_text(threads):
    return "1 thread" if threads == 1 else f"{threads} threads"


def milliseconds(value):
    return f"{value:.4g}" if value >= 1e-4 else f"{value:.2e}"


def spread(low, high):
    return f"{low:.2f}-{high:.2f}"


def percent(share):
    return "" if share is None else f"{share * 100:.0f}%"


def remark(row):
    return {WITHIN: "within noise", UNKNOWN: "one run: noise unknown"}.get(row.noise, "")


def full_label(problem):
    return f"{problem.knobs} {problem.label}".strip()


def summary_text(summary, label=lambda problem: problem.label):
    """`label` names the worst problem of a set; full_label is used if knobs differ in the set."""
    parts = [
        f"geometric mean {summary.mean:.2f}",
        f"worst {summary.worst.ratio:.2f} {label(summary.worst.problem)}",
        f"{summary.count} problems" if summary.count > 1 else "1 problem",
    ]
    parts[0] += f" (repeats {spread(summary.mean_low, summary.mean_high)})"
    parts += [f"{summary.within_noise} within noise"] if summary.within_noise else []
    return ", ".join(parts)
