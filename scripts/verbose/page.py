# SPDX-License-Identifier: Apache-2.0
"""The summary as one HTML page: without scripts and external files, well-formed XML."""

from html import escape
from pathlib import Path

from verbose import summary
from verbose.timeline import timeline

STYLE_FILE = Path(__file__).with_name("page.css")

HEAD = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>What ran</title><style>
{style}</style></head><body>
<h1>What ran</h1>
<p>{facts}</p>
<p class="soft">{information}</p>"""

TIMELINE = """\
<h2>Timeline</h2>
<p class="soft">{axis} <span class="key" style="background: var(--bar)"></span>generated code
<span class="key" style="background: var(--wrong)"></span>reference code</p>
<div class="wide">{drawing}</div>"""

NAMES = ("primitive", "implementation", "partition")
NUMBERS = ("calls", "time", "median", "least", "greatest")


def _cell(column, cell):
    if column == "share":
        return (f'<td class="share"><span class="bar" style="width: {4.5 * cell:.2f}rem"></span>'
                f"{summary.cell_text(cell)}</td>")
    if column in NUMBERS:
        kind = ' class="number"'
    elif column == "implementation" and "ref:" in cell:
        kind = ' class="name reference"'
    else:
        kind = ' class="name"' if column in NAMES else ""
    return f"<td{kind}>{escape(summary.cell_text(cell))}</td>"


def _table(table):
    heads = "".join(f'<th{" class=" + chr(34) + "number" + chr(34) if name in NUMBERS else ""}>'
                    f"{escape(name)}</th>" for name in table.columns)
    rows = ["<tr>" + "".join(map(_cell, table.columns, row)) + "</tr>" for row in table.rows]
    note = [f'<p class="soft">{escape(table.note)}</p>'] if table.note else []
    return [f"<h2>{escape(table.title)}</h2>", f'<div class="wide"><table><tr>{heads}</tr>', *rows,
            "</table></div>", *note]


def page(log, top):
    """The page as text."""
    lines = [HEAD.format(style=STYLE_FILE.read_text(), facts="<br/>".join(map(escape, summary.facts(log))),
                         information="<br/>".join(map(escape, dict.fromkeys(log.information))))]
    tables = summary.tables(log, top)
    for table in tables[:2]:
        lines += _table(table)
    executions = log.executions()
    if executions:
        axis, drawing = timeline(executions)
        lines.append(TIMELINE.format(axis=axis, drawing=drawing))
    for table in tables[2:]:
        lines += _table(table)
    return "\n".join([*lines, "</body></html>", ""])
