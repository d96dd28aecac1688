# SPDX-License-Identifier: Apache-2.0
"""A log summed up as tables, for the terminal and for the page."""

from collections import defaultdict
from dataclasses import dataclass

NO_DISPATCH = ("the log has no dispatch lines; record it with ONEDNN_VERBOSE=all, or with "
               "ONEDNN_VERBOSE=profile,dispatch")


@dataclass
class Table:
    """Rows of cells. A cell that is a float is a number with digits; `shares` are for bars."""

    title: str
    columns: tuple
    rows: list
    note: str = ""


def total(events):
    return sum(event.milliseconds for event in events)


def facts(log):
    """Lines on the whole log."""
    executions, creations = log.executions(), log.creations()
    hits = [event for event in creations if event.name.endswith("hit")]
    lines = [f"{len(executions)} executions, {time_text(total(executions))}; "
             f"{sum(is_reference(event) for event in executions)} of them by reference code, "
             f"{time_text(total(filter(is_reference, executions)))}"]
    if creations:
        lines.append(f"{len(creations)} creations, {time_text(total(creations))}; {len(hits)} found in "
                     "the primitive cache")
    return lines


def is_reference(event):
    """Whether scalar code ran; also as one of several steps ("jit:relaid+ref:any")."""
    return "ref:" in event.implementation


def time_text(milliseconds):
    """With three digits."""
    for unit, factor in (("s", 1e-3), ("ms", 1.0), ("µs", 1e3)):
        if milliseconds * factor >= 1 or unit == "µs":
            return f"{milliseconds * factor:.3g} {unit}" if milliseconds * factor < 999.5 else (
                f"{milliseconds * factor:.0f} {unit}")
    return ""


def _groups(events, key):
    """Groups of events, by falling time."""
    groups = defaultdict(list)
    for event in events:
        groups[key(event)].append(event)
    return sorted(groups.items(), key=lambda item: (-total(item[1]), item[0]))


def _row(names, events, whole):
    times = sorted(event.milliseconds for event in events)
    return [*names, len(times), time_text(sum(times)), sum(times) / whole if whole else 0.0,
            time_text(times[len(times) // 2]), time_text(times[0]), time_text(times[-1])]


FIGURES = ("calls", "time", "share", "median", "least", "greatest")


def _table(title, names, events, key, top=None):
    whole = total(events)
    groups = _groups(events, key)
    rows = [_row(found, group, whole) for found, group in groups[:top]]
    note = f"{len(groups) - top} more" if top is not None and len(groups) > top else ""
    return Table(title, (*names, *FIGURES), rows, note)


def references(log):
    """The problems that ran on `ref:`, each with the reasons of the implementations before it."""
    rows = []
    executions = [event for event in log.executions() if is_reference(event)]
    for (problem, implementation), events in _groups(
            executions, lambda event: (event.problem, event.implementation)):
        reasons = log.refusals.get(problem.key, {})
        why = "; ".join(f"{name}: {reason}" for name, reason in reasons.items()) or (
            "no implementation refused before" if log.has_dispatch else "not in the log")
        rows.append([problem.kind, implementation, problem.text(), len(events),
                     time_text(total(events)), why])
    note = "" if log.has_dispatch or not rows else NO_DISPATCH
    return Table("What ran on reference code, and why", (
        "primitive", "implementation", "problem", "calls", "time", "refusals"), rows, note)


def tables(log, top):
    """All tables that have rows; `top` is the greatest number of problems in one."""
    executions, creations = log.executions(), log.creations()
    misses = [event for event in creations if event.name.endswith("miss")]
    graphs = [event for event in log.graph_events if event.name == "exec"]
    made = [
        _table("Time by primitive", ("primitive",), executions, lambda e: (e.problem.kind,)),
        _table("Time by implementation", ("primitive", "implementation"), executions,
               lambda e: (e.problem.kind, e.implementation)),
        references(log),
        _table("Time by problem", ("primitive", "implementation", "problem"), executions,
               lambda e: (e.problem.kind, e.implementation, e.problem.text()), top),
        _table("Creation of primitives that the cache did not have",
               ("primitive", "implementation", "problem"), misses,
               lambda e: (e.problem.kind, e.implementation, e.problem.text()), top),
        _table("Partitions of graphs (their primitives are counted above)",
               ("partition", "operations", "implementation"), graphs,
               lambda e: (e.problem.kind, e.problem.shape, e.implementation), top),
        Table("Refused calls, warnings and errors", ("line",),
              [[message] for message in dict.fromkeys(log.messages)][:top]),
    ]
    return [table for table in made if table.rows]


def cell_text(cell):
    """A cell as text; a float is a share."""
    return f"{100 * cell:.1f} %" if isinstance(cell, float) else str(cell)


def as_text(log, top):
    """Everything for a terminal."""
    lines = [*facts(log), ""]
    for table in tables(log, top):
        cells = [list(table.columns)] + [[cell_text(cell) for cell in row] for row in table.rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(table.columns))]
        is_left = [all(isinstance(row[i], str) and not row[i][:1].isdigit() for row in table.rows)
                   for i in range(len(table.columns))]
        lines.append(table.title)
        for row in cells:
            padded = (cell.ljust(width) if left else cell.rjust(width)
                      for cell, width, left in zip(row, widths, is_left))
            lines.append("  " + "  ".join(padded).rstrip())
        lines += [f"  ({table.note})"] if table.note else []
        lines.append("")
    return "\n".join(lines)
