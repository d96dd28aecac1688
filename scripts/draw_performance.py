#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of doc/performance from the files in doc/performance/figures.

  draw_performance.py                  draws NAME.svg for each figures/NAME.csv, and overview.svg
  draw_performance.py --check          fails where a picture is not that of its figures
  draw_performance.py --adopt NAME     takes what scripts/compare.py wrote (build/comparison) as figures/NAME.csv
"""

import argparse
import sys
from pathlib import Path

from comparison import ComparisonRefused, figure_file, pictures
from comparison.figure_file import FigureFile, Point

PROJECT = Path(__file__).resolve().parents[1]
FOLDER = PROJECT / "doc/performance"


def set_means(file):
    """(panel, series, mean) of the fact `set_means`: those of whole sets, of which the file has a part
    or has only the worst problem beside. Written PANEL/SERIES=MEAN, separated by semicolons."""
    for entry in filter(None, file.facts.get("set_means", "").split("; ")):
        place, _, mean = entry.rpartition("=")
        yield (*place.split("/"), float(mean))


def panel_means(file):
    for panel, own in file.panels():
        for series in dict.fromkeys(point.series for point in own):
            mean = figure_file.mean_of([point for point in own if point.series == series])
            yield panel, series, mean


def overview_of(files):
    """Geometric means of the files with the fact `overview`, which is a short name."""
    points, told = [], {}
    for file in sorted(files, key=lambda file: file.facts.get("overview", "")):
        name = file.facts.get("overview")
        if not name:
            continue
        told = told or file.facts
        for panel, series, mean in list(set_means(file)) or panel_means(file):
            label = name if panel == "all" else f"{name}, {panel}"
            points.append(Point("all", label, series, None, None, mean))
    facts = dict(told, title="Geometric means over problems of models, peer's time / ours",
                 value="ratio", means="no", most="12",
                 measured="2026-11-21 to 23; doc/performance has each problem")
    return FigureFile(facts, points)


def texts(folder):
    files = {path: figure_file.read(path) for path in sorted((folder / "figures").glob("*.csv"))}
    found = {folder / f"{path.stem}.svg": pictures.svg_of(file) for path, file in files.items()}
    overview = overview_of(files.values())
    if overview.points:
        found[folder / "overview.svg"] = pictures.svg_of(overview)
    return found


def adopt(name, source, title):
    file = figure_file.read(source / "figures.csv")
    if title:
        file.facts["title"] = title
    (FOLDER / "figures" / f"{name}.csv").write_text(figure_file.text_of(file), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--adopt", metavar="NAME")
    parser.add_argument("--from", dest="source", type=Path, default=PROJECT / "build/comparison",
                        metavar="DIR", help="where compare.py wrote (build/comparison)")
    parser.add_argument("--title", help="with --adopt: the picture's title")
    options = parser.parse_args()
    try:
        if options.adopt:
            adopt(options.adopt, options.source, options.title)
        wrong = []
        for path, text in texts(FOLDER).items():
            if not options.check:
                path.write_text(text, encoding="utf-8")
            elif not path.exists() or path.read_text(encoding="utf-8") != text:
                wrong.append(path.name)
    except (ComparisonRefused, OSError) as refused:
        print(f"draw_performance.py: {refused}", file=sys.stderr)
        return 2
    for name in wrong:
        print(f"doc/performance/{name} is not drawn from its figures; run scripts/draw_performance.py")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
