#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges and plots what a long run holds.

Usage: soak_figures.py FILE.csv FILE.svg; prints figures, exits with 1 if anything grows.

The first minute (of short runs, the first quarter) is left out, on a busy machine also the runs until
each problem has run once. What remains is cut into fifths by time. A column grows if its median in the
last fifth exceeds that in the first one by more than its tolerance.
"""

import csv
import statistics
import sys

# Column: name, share and amount by which the medians may differ. A leak of a byte in each run is found
# by what is allocated; what is resident has the holes between blocks, too. Open descriptors are always
# the same.
COLUMNS = {
    "allocated_kib": ("allocated memory, KiB", 0.03, 128),
    "resident_kib": ("resident memory, KiB", 0.03, 4096),
    "mappings": ("mappings", 0.05, 20),
    "descriptors": ("open descriptors", 0, 0),
}
RUNS_OF_ALL_PROBLEMS = 10_000  # soak.cpp runs each of its problems twice
WIDTH, HEIGHT, LEFT, TOP = 900, 160, 90, 30


def read(path):
    with open(path, newline="") as file:
        return [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]


def settled(rows):
    last = rows[-1]
    seconds = min(60, last["second"] // 4)
    runs = min(RUNS_OF_ALL_PROBLEMS, last["runs"] // 4)
    return [row for row in rows if row["second"] >= seconds and row["runs"] >= runs]


def medians(rows, column):
    """Of the first and the last fifth."""
    rows = settled(rows)
    first, last = rows[0]["second"], rows[-1]["second"]
    fifth = (last - first) / 5
    return (statistics.median(row[column] for row in rows if row["second"] <= first + fifth),
            statistics.median(row[column] for row in rows if row["second"] >= last - fifth))


def growth(rows):
    """Column -> its medians, for columns that grow."""
    grown = {}
    for column, (_, share, amount) in COLUMNS.items():
        first, last = medians(rows, column)
        if last > first * (1 + share) + amount:
            grown[column] = (first, last)
    return grown


def panel(rows, column, index):
    title = COLUMNS[column][0]
    top = TOP + index * (HEIGHT + 50)
    values = [row[column] for row in rows]
    highest = max(values) * 1.1 or 1
    last_second = rows[-1]["second"]

    def place(row):
        x = LEFT + WIDTH * row["second"] / last_second
        return f"{x:.1f},{top + HEIGHT * (1 - row[column] / highest):.1f}"

    # About one point for each pixel.
    step = max(1, len(rows) // WIDTH)
    points = " ".join(place(row) for row in rows[::step])
    text = f'<text x="{LEFT}" y="{top - 8}">{title}: {min(values)} to {max(values)}</text>'
    frame = (f'<rect x="{LEFT}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" '
             'stroke="#999"/>')
    scale = (f'<text x="{LEFT - 6}" y="{top + 10}" text-anchor="end">{highest:.0f}</text>'
             f'<text x="{LEFT - 6}" y="{top + HEIGHT}" text-anchor="end">0</text>'
             f'<text x="{LEFT + WIDTH}" y="{top + HEIGHT + 16}" text-anchor="end">'
             f'{last_second} s</text>')
    line = f'<polyline points="{points}" fill="none" stroke="#06c" stroke-width="1.2"/>'
    return text + frame + scale + line


def plot(rows):
    panels = "\n".join(panel(rows, column, i) for i, column in enumerate(COLUMNS))
    height = TOP + len(COLUMNS) * (HEIGHT + 50)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 30}" '
            f'height="{height}" font-family="sans-serif" font-size="12">\n{panels}\n</svg>\n')


def main():
    rows = read(sys.argv[1])
    with open(sys.argv[2], "w") as file:
        file.write(plot(rows))
    for column, (first, last) in growth(rows).items():
        print(f"{column} grows: {first:.0f} at first, {last:.0f} at last")
    parts = [f"{title} {medians(rows, column)[0]:.0f} -> {medians(rows, column)[1]:.0f}"
             for column, (title, _, _) in COLUMNS.items()]
    print(f"{rows[-1]['runs']} runs in {rows[-1]['second']} s; " + "; ".join(parts))
    return 1 if growth(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
