# SPDX-License-Identifier: Apache-2.0
"""The executions of a log as a drawing: a lane for each kind of primitive, time to the right."""

import math
from html import escape

from verbose import summary

LEFT, WIDTH, LANE, TOP = 170, 860, 26, 24
LEAST = 0.8  # the width of a box that can be seen; shorter executions are drawn as wide


def _placed(executions):
    """Beginnings of the executions in milliseconds from the first, and what the axis is."""
    if all(event.begin is not None for event in executions):
        first = min(event.begin for event in executions)
        return ([event.begin - first for event in executions],
                "Time since the first execution.")
    begins, now = [], 0.0
    for event in executions:
        begins.append(now)
        now += event.milliseconds
    return begins, ("Executions one after the other, without what lies between them "
                    "(ONEDNN_VERBOSE_TIMESTAMP=1 records when each began).")


def _ticks(end):
    """Round numbers of milliseconds from 0 to the end, at most six."""
    step = 10.0 ** math.floor(math.log10(end))
    for part in (0.2, 0.5, 1, 2):
        if end / (step * part) < 6:
            step *= part
            break
    return [i * step for i in range(int(end / step) + 1)]


def _boxes(executions, begins, scale):
    """(left, right, class, title) for each box; neighbours nearer than a box can show are one."""
    boxes = []
    for event, begin in zip(executions, begins):
        left = LEFT + begin * scale
        right = left + max(event.milliseconds * scale, LEAST)
        kind = "ref" if summary.is_reference(event) else "jit"
        title = (f"{event.implementation} {event.problem.text()}: "
                 f"{summary.time_text(event.milliseconds)}")
        if boxes and boxes[-1][2] == kind and right - boxes[-1][0] < 2 * LEAST:
            old_left, old_right, _, old_title, count = boxes[-1]
            boxes[-1] = (old_left, max(right, old_right), kind, old_title, count + 1)
        else:
            boxes.append((left, right, kind, title, 1))
    return boxes


def _box(box, y):
    left, right, kind, title, count = box
    more = f" and {count - 1} more" if count > 1 else ""
    return (f'<rect class="{kind}" x="{left:.2f}" y="{y}" width="{right - left:.2f}" '
            f'height="{LANE - 8}"><title>{escape(title + more)}</title></rect>')


def timeline(executions):
    """A sentence on the axis, and the drawing as SVG."""
    begins, axis = _placed(executions)
    end = max(begin + event.milliseconds for begin, event in zip(begins, executions)) or 1.0
    scale = WIDTH / end
    kinds = list(dict.fromkeys(event.problem.kind for event in executions))
    height = TOP + LANE * len(kinds) + 8
    parts = [f'<svg viewBox="0 0 {LEFT + WIDTH + 20} {height}" role="img">']
    for tick in _ticks(end):
        x = round(LEFT + tick * scale, 1)
        parts.append(f'<line x1="{x}" x2="{x}" y1="{TOP - 4}" y2="{height}"/>')
        parts.append(f'<text class="tick" x="{x}" y="{TOP - 10}" text-anchor="middle">'
                     f"{summary.time_text(tick) if tick else 0}</text>")
    for lane, kind in enumerate(kinds):
        y = TOP + LANE * lane + 4
        parts.append(f'<text x="{LEFT - 10}" y="{y + 13}" text-anchor="end">{escape(kind)}</text>')
        of_lane = [(event, begin) for event, begin in zip(executions, begins)
                   if event.problem.kind == kind]
        parts += [_box(box, y) for box in _boxes(*zip(*of_lane), scale)]
    return axis, "".join([*parts, "</svg>"])
