# SPDX-License-Identifier: Apache-2.0
"""The comparison as text for a terminal."""

from comparison import report as words
from comparison.figures import groups_of, summary_of

_HEAD = [
    "problem",
    "ours",
    "min",
    "peer",
    "min",
    "peer/ours",
    "repeats",
    "",
    "ours/roof",
    "peer/roof",
]
_LEFT = (0, 7)


def _cells(row):
    return [
        row.problem.label,
        words.milliseconds(row.ours.median_ms),
        words.milliseconds(row.ours.minimum_ms),
        words.milliseconds(row.peer.median_ms),
        words.milliseconds(row.peer.minimum_ms),
        f"{row.ratio:.2f}",
        words.spread(row.ratio_low, row.ratio_high),
        words.remark(row),
        words.percent(row.ours.roof_share),
        words.percent(row.peer.roof_share),
    ]


def _aligned(lines, widths):
    for line in lines:
        cells = [
            cell.ljust(width) if at in _LEFT else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths))
        ]
        yield "  ".join(cells).rstrip()


def _excluded_lines(excluded):
    for is_failure, title in (
        (True, "not compared, because a result is wrong or missing:"),
        (False, "not compared:"),
    ):
        members = [one for one in excluded if one.is_failure == is_failure]
        if members:
            yield ""
            yield title
        for one in members:
            yield f"  {one.problem.line}, {words.threads_text(one.threads)}: {one.reason}"


def text_of(report):
    columns = len(_HEAD) if report.has_roof else 8
    head = _HEAD[:columns]
    table = [_cells(row)[:columns] for row in report.rows]
    widths = [max(len(line[at]) for line in [head] + table) for at in range(columns)]
    lines = [f"{name}: {value}" for name, value in report.facts]
    lines += ["", "Times in ms: the median and minimum over runs of each run's fastest execution."]
    for threads, knobs, rows in groups_of(report.rows):
        lines += ["", f"== {words.threads_text(threads)}, {knobs or 'default knobs'}"]
        lines += _aligned([head] + [_cells(row)[:columns] for row in rows], widths)
        lines.append(words.summary_text(summary_of(rows)))
    lines += _excluded_lines(report.excluded)
    lines += ["", "peer's time / ours, above 1 where ours is faster:"]
    for threads, rows in words.by_threads(report.rows):
        summary = words.summary_text(summary_of(rows), words.full_label)
        lines.append(f"{words.threads_text(threads)}: {summary}")
    if not report.rows:
        lines.append("nothing was compared")
    lines += [f"note: {note}" for note in report.notes]
    return "\n".join(lines) + "\n"
