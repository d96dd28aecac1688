# SPDX-License-Identifier: Apache-2.0
"""Dot plots of files of figures, as SVG that stands alone: a panel for each set of problems, a line
for each problem, a dot for each series (number of threads)."""

import math
import textwrap
from html import escape

from comparison.figure_file import mean_of

PLOT, WIDE_PLOT, GAP = 190, 420, 18
LINE, TITLE, FOOT, MARGIN = 19, 46, 14, 14
TICKS, NAME = 22, 16  # heights of the axis' numbers and of a line of a panel's heading
PANELS_IN_A_ROW = 3
LONGEST_LABEL, LONGEST_LINE = 60, 110  # characters
LETTER = 7.1  # pixels that a character takes at most
COLOURS = ["#2166ac", "#d6604d", "#4d9221", "#8073ac"]
USUAL = ["1 thread", "2 threads"]  # have the first colours in every picture
STYLE = """
  .ink { fill: #1d2329; font: 12px system-ui, -apple-system, 'DejaVu Sans', sans-serif; }
  .soft { fill: #5c6670; font: 11px system-ui, -apple-system, 'DejaVu Sans', sans-serif; }
  .title { font-size: 15px; font-weight: 600; }
  .heading { font-weight: 600; }
  .grid { stroke: #dcdfe3; } .one { stroke: #1d2329; stroke-width: 1.4; }
  .span { stroke: #aab2ba; stroke-width: 2; } .band { fill: #f1f3f5; }
  .mean { stroke-dasharray: 4 3; stroke-width: 1.4; }
"""


class RatioAxis:
    """Logarithmic: twice as fast and half as fast are equally far from the line at 1."""

    def __init__(self, points, most, least):
        values = [point.value for point in points]
        self.low = max(min([0.8] + values) / 1.06, least)
        self.high = min(max([1.6] + values) * 1.06, most)

    def share(self, value):
        value = min(max(value, self.low), self.high)
        return math.log(value / self.low) / math.log(self.high / self.low)

    def ticks(self):
        reach = self.high / self.low
        steps = [0.25, 0.5, 1, 2, 4, 8, 16, 32] if reach < 64 else [0.1, 1, 10, 100, 1000]
        if reach > 1e4:
            steps = [1, 1e3, 1e6, 1e9, 1e12, 1e15]
        if reach < 5:
            steps = [0.5, 0.7, 1, 1.5, 2, 3]
        return [(step, f"{step:g}".replace("e+0", "e").replace("e+", "e")) for step in steps if self.low <= step <= self.high]

    def text(self, value):
        if value >= 1e4:
            return f"{value:.0e}".replace("e+0", "e").replace("e+", "e")
        return f"{value:.0f}" if value >= 20 else f"{value:.2f}"


class ShareAxis:
    """From 0 to the roof, or beyond where caches hold more of a call's data than of the roof's."""

    def __init__(self, points, most, _least):
        self.high = min(max([1.0] + [point.value for point in points]) * 1.05, most)

    def share(self, value):
        return min(value, self.high) / self.high

    def ticks(self):
        step = 0.25 * math.ceil(self.high / 2)
        count = int(self.high / step)
        return [(step * place, f"{step * place * 100:.0f}%") for place in range(count + 1)]

    def text(self, value):
        return f"{value * 100:.0f}%"


def _text(x, y, text, kind, anchor="start", more=""):
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} class="{kind}"{more}>{escape(text)}</text>'


def _line(x1, y1, x2, y2, kind, more=""):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"{more}/>'


def _shortened(text):
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "\u2026"


def _mark(x, y, value, axis, colour):
    """A dot; an arrowhead where the value lies beyond the axis."""
    if value > axis.high:
        return f'<path d="M{x - 5:.1f},{y - 5:.1f} l8,5 l-8,5 z" fill="{colour}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.2" fill="{colour}" fill-opacity="0.9"/>'


class Picture:
    def __init__(self, file):
        self.file, self.series = file, file.series()
        if set(self.series) & set(USUAL):
            self.series = USUAL + [name for name in self.series if name not in USUAL]
        self.across = self._panels_in_a_row()
        self.plot = WIDE_PLOT if self.across == 1 else PLOT
        longest = max(len(_shortened(point.problem)) for point in file.points)
        self.labels = max(120, 24 + LETTER * longest)
        most = float(file.facts.get("most", "inf"))
        least = float(file.facts.get("least", "0.01"))
        self.is_ratio = file.facts["value"] == "ratio"
        self.axis = (RatioAxis if self.is_ratio else ShareAxis)(file.points, most, least)
        self.values = 28 + 6.6 * max(len(text) for text in self._value_texts())
        self.has_means = file.facts.get("means", "yes") == "yes" and len(file.points) > 3
        named = any(name != "all" for name, _ in file.panels())
        self.heading = TICKS + NAME * (named + self.has_means) + 8 * (named or self.has_means)
        self.body = []

    def _panels_in_a_row(self):
        """One where each panel has problems of its own: they share no labels."""
        panels = [{point.problem for point in points} for _, points in self.file.panels()]
        shared = set.union(*panels) == panels[0] or len(set.union(*panels)) < sum(map(len, panels))
        return min(PANELS_IN_A_ROW, len(panels)) if shared else 1

    def _value_texts(self):
        rows = {}
        for point in self.file.points:
            rows.setdefault((point.panel, point.problem), []).append(self.axis.text(point.value))
        return [" | ".join(texts) for texts in rows.values()]

    def _colour(self, series):
        return COLOURS[self.series.index(series) % len(COLOURS)]

    def _row(self, points, left, y):
        middle = y + LINE / 2
        places = [left + self.plot * self.axis.share(point.value) for point in points]
        tips = [f"{one.problem}, {one.series}: {self._tip(one)}" for one in points]
        self.body.append(f"<g><title>{escape('; '.join(tips))}</title>")
        if len(places) > 1:
            self.body.append(_line(min(places), middle, max(places), middle, "span"))
        for place, point in zip(places, points):
            colour = self._colour(point.series)
            self.body.append(_mark(place, middle, point.value, self.axis, colour))
        values = " | ".join(self.axis.text(point.value) for point in points)
        self.body.append(_text(left + self.plot + 12, middle + 4, values, "soft") + "</g>")

    def _tip(self, point):
        if point.ours_ms is None or point.peer_ms is None:
            return self.axis.text(point.value)
        return f"{point.peer_ms:g} ms / {point.ours_ms:g} ms = {self.axis.text(point.value)}"

    def _means(self, points, left, top, bottom):
        told = []
        for series in self.series:
            own = [point for point in points if point.series == series]
            if not own:
                continue
            mean = mean_of(own)
            x = left + self.plot * self.axis.share(mean)
            colour = f' stroke="{self._colour(series)}"'
            self.body.append(_line(x, top, x, bottom, "mean", colour))
            told.append(self.axis.text(mean))
        return "geometric mean " + " | ".join(told)

    def _panel(self, name, points, problems, left, top):
        bottom = top + self.heading + LINE * len(problems)
        for value, text in self.axis.ticks():
            x = left + self.plot * self.axis.share(value)
            kind = "one" if value == 1 else "grid"
            self.body.append(_line(x, top + self.heading - 4, x, bottom, kind))
            self.body.append(_text(x, top + self.heading - 8, text, "soft", "middle"))
        name = "" if name == "all" else name
        self.body.append(_text(left, top + 14, name, "ink heading"))
        if self.has_means:
            told = self._means(points, left, top + self.heading - 4, bottom)
            self.body.append(_text(left, top + 14 + NAME * bool(name), told, "soft"))
        for place, problem in enumerate(problems):
            own = [point for point in points if point.problem == problem]
            own.sort(key=lambda point: self.series.index(point.series))
            if own:
                self._row(own, left, top + self.heading + LINE * place)

    def _labels(self, problems, width, top):
        for place, problem in enumerate(problems):
            y = top + self.heading + LINE * place
            if place % 2 == 0:
                band = f'x="0" y="{y}" width="{width}" height="{LINE}"'
                self.body.append(f'<rect {band} class="band"/>')
            text = _shortened(problem)
            self.body.append(_text(self.labels - 12, y + LINE / 2 + 4, text, "ink", "end"))

    def _legend(self, y):
        x = MARGIN
        what = "peer's time / ours; right of 1 Kiln is faster" if self.is_ratio else "share of the roof"
        what = self.file.facts.get("axis", what)
        shown = [name for name in self.series if name in self.file.series()]
        for series in shown if len(shown) > 1 else []:
            self.body.append(f'<circle cx="{x + 5}" cy="{y - 4}" r="4.2" fill="{self._colour(series)}"/>')
            self.body.append(_text(x + 14, y, series, "ink"))
            x += 30 + 7 * len(series)
        self.body.append(_text(x, y, what, "soft"))

    def text(self):
        panels = self.file.panels()
        across = self.across
        width = round(self.labels + across * (self.plot + self.values + GAP))
        facts = self.file.facts
        against = f"Against {facts['against']}; {facts['measured']}"
        foot = textwrap.wrap(against, LONGEST_LINE) + [facts["processor"]]
        width = max(width, round(40 + LETTER * max(map(len, foot + [facts["title"] + " " * 12]))))
        self.body += [_text(MARGIN, 22, facts["title"], "ink title")]
        self._legend(40)
        y = TITLE
        for first in range(0, len(panels), across):
            row = panels[first : first + across]
            problems = list(dict.fromkeys(p.problem for _, points in row for p in points))
            self._labels(problems, width, y)
            for place, (name, points) in enumerate(row):
                self._panel(name, points, problems, self.labels + place * (self.plot + self.values + GAP), y)
            y += self.heading + LINE * len(problems) + FOOT
        for line in foot:
            self.body.append(_text(MARGIN, y + 8, line, "soft"))
            y += 16
        y += 6
        box = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}"'
        head = f'<svg {box} height="{y}" role="img" aria-label="{escape(facts["title"])}">'
        paper = f'<rect width="{width}" height="{y}" fill="#ffffff"/>'
        return "\n".join([head, f"<style>{STYLE}</style>", paper, *self.body, "</svg>"]) + "\n"


def svg_of(file):
    return Picture(file).text()
