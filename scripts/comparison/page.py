# SPDX-License-Identifier: Apache-2.0
"""The comparison as one HTML page: without scripts and external files, well-formed XML."""

from html import escape
from pathlib import Path

from comparison import charts
from comparison import report as words
from comparison.figures import WITHIN, groups_of, summary_of

STYLE_FILE = Path(__file__).with_name("page.css")

HEAD = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>Comparison of two libraries</title><style>
{style}</style></head><body>
<h1>Comparison of two libraries</h1>
<p class="soft">{date}, {cpu}</p>"""

ABOUT_RATIOS = """\
<p>Right of the line at 1 this library is faster. The scale is logarithmic; whiskers reach from the
least to the greatest ratio of a repeat.<br/>{key}</p>"""

ABOUT_ROOF = """\
<p>100% is the speed at which the same amount of memory is copied (or read and written, as the
operation does) on the same threads, measured in the same process.<br/>{key}</p>"""


def _tile(threads, rows):
    summary = summary_of(rows)
    lines = [
        f"{words.threads_text(threads)}<b>{summary.mean:.2f}</b>geometric mean",
        f"{summary.count} problems, {summary.within_noise} within noise",
        f"repeats {words.spread(summary.mean_low, summary.mean_high)}",
        f"worst {summary.worst.ratio:.2f}, {escape(words.full_label(summary.worst.problem))}",
    ]
    return '<div class="tile">' + "<br/>".join(lines) + "</div>"


def _key(*pairs):
    box = '<span class="key" style="background: var(--{})"></span>{}'
    return "".join(box.format(colour, text) for colour, text in pairs)


def _chart(title, about, chart):
    return [f"<h2>{title}</h2>", about, f'<div class="wide">{chart}</div>']


def _ratio_section(threads, rows):
    title = f"Peer's time / ours, {words.threads_text(threads)}"
    noise = ("noise", "\u2248 within noise")
    about = ABOUT_RATIOS.format(
        key=_key(("faster", "ours faster"), ("slower", "peer faster"), noise)
    )
    return _chart(title, about, charts.ratio_chart(rows, title))


def _roof_section(threads, rows):
    rows = [row for row in rows if row.has_roof]
    if not rows:
        return []
    title = f"Share of the roof, {words.threads_text(threads)}"
    about = ABOUT_ROOF.format(key=_key(("faster", "ours"), ("peer", "peer")))
    return _chart(title, about, charts.roof_chart(rows, title))


def _cell(text, kind="number"):
    return f'<td class="{kind}">{escape(text)}</td>'


def _table_row(row, has_roof):
    times = [row.ours.median_ms, row.ours.minimum_ms, row.peer.median_ms, row.peer.minimum_ms]
    cells = [_cell(row.problem.label, "name")] + [_cell(words.milliseconds(time)) for time in times]
    cells += [_cell(f"{row.ratio:.2f}"), _cell(words.spread(row.ratio_low, row.ratio_high))]
    if has_roof:
        cells += [_cell(words.percent(side.roof_share)) for side in (row.ours, row.peer)]
    names = [row.ours.implementation, row.peer.implementation, words.remark(row)]
    cells += [_cell(name, "name") for name in names]
    kind = ' class="noise"' if row.noise == WITHIN else ""
    return f"<tr{kind}>" + "".join(cells) + "</tr>"


def _table_group(threads, knobs, rows, columns):
    title = f"{words.threads_text(threads)}, {escape(knobs or 'default knobs')}"
    about = f'<br/><span class="soft">{escape(words.summary_text(summary_of(rows)))}</span>'
    return f'<tr class="group"><th colspan="{columns}">{title}{about}</th></tr>'


def _groups(report):
    """A mean over the whole set says little if its knobs differ."""
    groups = groups_of(report.rows)
    if len({knobs for _, knobs, _ in groups}) < 2:
        return
    yield '<div class="wide"><table><thead><tr><th>knobs</th><th></th><th class="number">mean</th>'
    yield '<th class="number">repeats</th><th class="number">worst</th><th></th></tr></thead>'
    yield "<tbody>"
    for threads, knobs, rows in groups:
        one = summary_of(rows)
        yield "<tr>" + _cell(knobs or "default", "line")
        yield _cell(words.threads_text(threads), "name")
        yield _cell(f"{one.mean:.2f}") + _cell(words.spread(one.mean_low, one.mean_high))
        yield _cell(f"{one.worst.ratio:.2f}") + _cell(one.worst.problem.label, "name") + "</tr>"
    yield "</tbody></table></div>"


def _figures(report):
    numbers = ["ours, ms", "minimum", "peer, ms", "minimum", "peer / ours", "repeats"]
    numbers += ["ours / roof", "peer / roof"] if report.has_roof else []
    head = "".join(f'<th class="number">{name}</th>' for name in numbers)
    yield "<h2>Figures</h2>"
    yield "<p>Times are medians and minima, over the runs, of each run's fastest execution.</p>"
    yield '<div class="wide"><table><thead><tr>'
    yield f"<th>problem</th>{head}<th>our implementation</th><th>peer's</th><th></th>"
    yield "</tr></thead><tbody>"
    for threads, knobs, rows in groups_of(report.rows):
        yield _table_group(threads, knobs, rows, len(numbers) + 4)
        for row in rows:
            yield _table_row(row, report.has_roof)
    yield "</tbody></table></div>"


def _excluded(report):
    yield "<h2>Not compared</h2>"
    yield "<p>A time counts only where both results are right. None of these is in the means.</p>"
    yield '<div class="wide"><table><tbody>'
    for one in sorted(report.excluded, key=lambda one: not one.is_failure):
        reason = _cell(one.reason, "wrong" if one.is_failure else "soft")
        threads = words.threads_text(one.threads)
        yield f"<tr>{_cell(one.problem.line, 'line')}<td>{threads}</td>{reason}</tr>"
    yield "</tbody></table></div>"


def _provenance(report):
    yield '<h2>How it was measured</h2><div class="wide"><table><tbody>'
    for name, value in report.facts:
        yield f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
    yield "</tbody></table></div>"
    yield "<p>The commands; those that measure ran in turns, ours, peer, ours, peer:</p>"
    yield "<pre>" + escape("\n".join(report.commands)) + "</pre>"


def _summary(report, by_threads):
    if by_threads:
        yield '<div class="tiles">' + "".join(_tile(*one) for one in by_threads) + "</div>"
    else:
        yield "<p>Nothing was compared.</p>"
    wrong = sum(one.is_failure for one in report.excluded)
    if wrong:
        reason = "not compared, because a result is wrong or missing (listed below)"
        yield f'<p class="wrong">{wrong} {reason}.</p>'
    for note in report.notes:
        yield f"<p>Note: {escape(note)}.</p>"


def text_of(report):
    by_threads = words.by_threads(report.rows)
    facts = dict(report.facts)
    style = STYLE_FILE.read_text(encoding="utf-8")
    head = HEAD.format(style=style, date=escape(facts["Date"]), cpu=escape(facts["CPU"]))
    parts = [head, *_summary(report, by_threads), *_groups(report)]
    for section in (_ratio_section, _roof_section):
        for threads, rows in by_threads:
            parts += section(threads, rows)
    parts += _excluded(report) if report.excluded else []
    parts += _figures(report) if report.rows else []
    return "\n".join([*parts, *_provenance(report)]) + "\n</body></html>\n"
