# SPDX-License-Identifier: Apache-2.0
"""A file of figures that pictures are drawn from: facts in lines `# name: value`, then CSV with a
line for each point: panel, problem, series, ours_ms, peer_ms, value. The value is the peer's time
divided by ours, or a share of the roof."""

import csv
import io
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional

from comparison import ComparisonRefused, figures
from comparison.report import threads_text

COLUMNS = ["panel", "problem", "series", "ours_ms", "peer_ms", "value"]
# What a file must say of itself. `value` is ratio or share.
REQUIRED = ["title", "value", "against", "processor", "measured", "command"]
PROJECT = Path(__file__).resolve().parents[2]


@dataclass
class Point:
    panel: str
    problem: str
    series: str
    ours_ms: Optional[float]
    peer_ms: Optional[float]
    value: float


@dataclass
class FigureFile:
    facts: Dict[str, str]
    points: List[Point]

    def panels(self):
        """[(name, its points)], in the order of the file."""
        found = {}
        for point in self.points:
            found.setdefault(point.panel, []).append(point)
        return list(found.items())

    def series(self):
        return list(dict.fromkeys(point.series for point in self.points))


def mean_of(points):
    return figures.geometric_mean([point.value for point in points])


def _number(text):
    return float(text) if text else None


def read(path):
    facts, body = {}, []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            name, _, value = line[2:].partition(": ")
            facts[name] = value
        else:
            body.append(line)
    missing = [name for name in REQUIRED if name not in facts]
    if missing:
        raise ComparisonRefused(f"{path} does not say its {', '.join(missing)}")
    points = []
    for line in csv.DictReader(body):
        ours, peer = _number(line["ours_ms"]), _number(line["peer_ms"])
        value = _number(line["value"])
        if value is None:
            value = peer / ours
        points.append(Point(line["panel"], line["problem"], line["series"], ours, peer, value))
    if not points:
        raise ComparisonRefused(f"{path} has no figures")
    return FigureFile(facts, points)


def text_of(file):
    text = io.StringIO()
    for name, value in file.facts.items():
        text.write(f"# {name}: {value}\n")
    out = csv.writer(text, lineterminator="\n")
    out.writerow(COLUMNS)
    for one in file.points:
        times = ["" if time is None else f"{time:g}" for time in (one.ours_ms, one.peer_ms)]
        out.writerow([one.panel, one.problem, one.series, *times, f"{one.value:.4g}"])
    return text.getvalue()


def _commit():
    asked = subprocess.run(["git", "-C", str(PROJECT), "rev-parse", "--short", "HEAD"],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           universal_newlines=True)
    return asked.stdout.strip() or "unknown"


def of_report(report):
    """A panel for each set of knobs, a series for each number of threads."""
    facts = dict(report.facts)
    told = {
        "title": "Peer's time / ours",
        "value": "ratio",
        "against": facts.get("Library, peer", "unknown"),
        "processor": facts.get("CPU", "unknown"),
        "measured": f"{facts.get('Date', 'unknown')}, commit {_commit()}",
        "command": report.commands[0] if report.commands else "unknown",
    }
    points = [Point(row.problem.knobs or "default", row.problem.label, threads_text(row.threads),
                    row.ours.median_ms, row.peer.median_ms, row.ratio) for row in report.rows]
    return FigureFile(told, points)
