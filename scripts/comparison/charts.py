# SPDX-License-Identifier: Apache-2.0
"""Bar charts as SVG. Colours and fonts are the page's: elements carry classes only."""

import math
from html import escape

from comparison import report as words
from comparison.figures import OUTSIDE, groups_of

WIDTH, LABELS, VALUES = 980, 290, 90
PLOT = WIDTH - LABELS - VALUES
LINE, HEADING, TOP, BOTTOM = 22, 30, 26, 10
LONGEST_LABEL = 40


class RatioAxis:
    """Logarithmic, so that twice as fast and half as fast are equally far from the line at 1."""

    def __init__(self, rows):
        self.low = min([0.8] + [row.ratio_low for row in rows]) / 1.03
        self.high = max([1.25] + [row.ratio_high for row in rows]) * 1.03

    def at(self, ratio):
        return LABELS + PLOT * math.log(ratio / self.low) / math.log(self.high / self.low)

    def ticks(self):
        reach = self.high / self.low
        if reach < 5:
            candidates = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 2.5, 3, 4]
        elif reach < 300:
            candidates = [2.0**power for power in range(-8, 9)]
        else:
            candidates = [10.0**power for power in range(-6, 7)]
        return [
            (self.at(value), f"{value:g}", value == 1)
            for value in candidates
            if self.low <= value <= self.high
        ]


class ShareAxis:
    """From 0 to the roof, or beyond it if a call has more of its data in caches than the roof."""

    def __init__(self, rows):
        shares = [side.roof_share or 0 for row in rows for side in (row.ours, row.peer)]
        self.high = max([1.0] + shares) * 1.03

    def at(self, share):
        return LABELS + PLOT * share / self.high

    def ticks(self):
        step = 0.25 * math.ceil(self.high / 2)
        count = int(self.high / step)
        return [
            (self.at(step * number), f"{step * number * 100:.0f}%", step * number == 1)
            for number in range(count + 1)
        ]


def _text(x, y, text, kind, anchor="start"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def _bar(x, y, to, height, kind):
    left, width = min(x, to), max(abs(to - x), 0.5)
    place = f'x="{left:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" rx="1.5"'
    return f'<rect {place} class="{kind}"/>'


def _line(x1, y1, x2, y2, kind):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def _whisker(axis, row, middle):
    low, high = axis.at(row.ratio_low), axis.at(row.ratio_high)
    return (
        _line(low, middle, high, middle, "whisker")
        + _line(low, middle - 4, low, middle + 4, "whisker")
        + _line(high, middle - 4, high, middle + 4, "whisker")
    )


def _ratio_line(axis, row, y):
    middle = y + LINE / 2
    kind = "noise" if row.noise != OUTSIDE else "faster" if row.ratio >= 1 else "slower"
    value = f"{row.ratio:.2f}" + ("" if row.noise == OUTSIDE else " \u2248")
    peer, ours = (words.milliseconds(side.median_ms) for side in (row.peer, row.ours))
    repeats = f"repeats {words.spread(row.ratio_low, row.ratio_high)} {words.remark(row)}"
    tip = f"{row.problem.line}: peer {peer} ms / ours {ours} ms = {row.ratio:.3f}, {repeats}"
    bar = _bar(axis.at(1), y + 4, axis.at(row.ratio), LINE - 8, kind)
    return tip, value, bar + _whisker(axis, row, middle)


def _roof_line(axis, row, y):
    shares = row.ours.roof_share, row.peer.roof_share
    ours, peer = (words.percent(share) for share in shares)
    bars = _bar(axis.at(0), y + 3, axis.at(shares[0]), 7, "ours")
    bars += _bar(axis.at(0), y + 12, axis.at(shares[1]), 7, "peer")
    return f"{row.problem.line}: ours {ours}, peer {peer} of the roof", f"{ours} | {peer}", bars


def _row(line_of, axis, row, y):
    tip, value, bars = line_of(axis, row, y)
    label = row.problem.label
    label = label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "\u2026"
    base = y + LINE / 2 + 4
    return (
        f"<g><title>{escape(tip)}</title>"
        + _text(LABELS - 8, base, label, "label", "end")
        + bars
        + _text(WIDTH - VALUES + 10, base, value, "value")
        + "</g>"
    )


def _chart(rows, axis, line_of, name):
    body, y = [], TOP
    for _, knobs, members in groups_of(rows):
        body.append(_text(4, y + HEADING - 10, knobs or "default knobs", "heading"))
        y += HEADING
        for row in members:
            body.append(_row(line_of, axis, row, y))
            y += LINE
    ticks = axis.ticks()
    scale = [
        _line(x, TOP - 4, x, y, "one" if is_one else "grid")
        + _text(x, TOP - 10, text, "tick", "middle")
        for x, text, is_one in ticks
    ]
    inside = "\n".join(scale + body)
    box = f'viewBox="0 0 {WIDTH} {y + BOTTOM}" role="img" aria-label="{escape(name)}"'
    return f"<svg {box}>\n{inside}\n</svg>"


def ratio_chart(rows, name):
    return _chart(rows, RatioAxis(rows), _ratio_line, name)


def roof_chart(rows, name):
    return _chart(rows, ShareAxis(rows), _roof_line, name)
