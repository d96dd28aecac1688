# SPDX-License-Identifier: Apache-2.0
"""The comparison as one HTML page: no script, nothing loaded from elsewhere, light and dark, well-formed XML."""

from html import escape

from comparison import charts
from comparison import report as words
from comparison.figures import WITHIN, groups_of, summary_of

STYLE = """
:root { color-scheme: light dark; --paper: #fcfcfa; --ink: #1d2329; --soft: #5c6670; --rule: #dcdfe3; --tile: #f1f2f0;
  --faster: #2f6fb0; --slower: #c2571a; --noise: #9aa2ab; --peer: #b9a06a; }
@media (prefers-color-scheme: dark) { :root { --paper: #15181c; --ink: #e3e6e9; --soft: #98a1ab; --rule: #343a41; --tile: #1f2429;
  --faster: #6aa7e4; --slower: #ef8f52; --noise: #6d7680; --peer: #c9b27c; } }
body { margin: 0 auto; max-width: 1040px; padding: 2rem 1.2rem 4rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; }
p, li { max-width: 46rem; } .soft { color: var(--soft); }
.tiles { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.2rem 0; }
.tile { background: var(--tile); border-radius: 8px; padding: .8rem 1.1rem; min-width: 13rem; max-width: 22rem; }
.tile b { display: block; font-size: 2rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } svg { width: 100%; min-width: 720px; height: auto; display: block; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; } svg .heading { font-weight: 600; }
svg .tick { fill: var(--soft); font-size: 11px; } svg .value { font-variant-numeric: tabular-nums; }
.grid { stroke: var(--rule); } .one { stroke: var(--ink); stroke-width: 1.5; } .whisker { stroke: var(--ink); stroke-width: 1.2; }
rect.faster, rect.ours { fill: var(--faster); } rect.slower { fill: var(--slower); } rect.peer { fill: var(--peer); }
rect.noise { fill: var(--noise); fill-opacity: .45; stroke: var(--noise); stroke-dasharray: 3 2; }
.key { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin: 0 .3em 0 .9em; }
table { border-collapse: collapse; font-size: 13px; } th, td { text-align: left; padding: .22rem .7rem .22rem 0; vertical-align: top;
  border-bottom: 1px solid var(--rule); } .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.line { font-family: ui-monospace, monospace; font-size: 12px; } tr.group th { padding-top: 1rem; }
tr.noise td { color: var(--soft); } .wrong { color: var(--slower); font-weight: 600; }
pre { background: var(--tile); padding: .8rem 1rem; border-radius: 8px; overflow-x: auto; font-size: 12px; }
"""


def _tile(threads, rows):
    summary = summary_of(rows)
    return (
        f'<div class="tile">{words.threads_text(threads)}<b>{summary.mean:.2f}</b>'
        f"geometric mean of {summary.count} problems<br/>repeats {words.spread(summary.mean_low, summary.mean_high)}<br/>"
        f"worst {summary.worst.ratio:.2f}, {escape(words.full_label(summary.worst.problem))}<br/>{summary.within_noise} within noise</div>"
    )


def _key(*pairs):
    return "".join(f'<span class="key" style="background: var(--{colour})"></span>{text}' for colour, text in pairs)


def _charts(report, by_threads):
    for threads, rows in by_threads:
        key = _key(("faster", "ours faster"), ("slower", "peer faster"), ("noise", "\u2248 within noise"))
        yield f"<h2>Peer's time / ours, {words.threads_text(threads)}</h2>"
        yield (
            "<p>Right of the line at 1 this library is faster. The scale is logarithmic; whiskers reach from the least to the greatest "
            f"ratio of a repeat.<br/>{key}</p>"
        )
        yield f'<div class="wide">{charts.ratio_chart(rows, "ratio of times, " + words.threads_text(threads))}</div>'
    for threads, rows in by_threads if report.has_roof else []:
        rows = [row for row in rows if row.ours.roof_share is not None]
        if not rows:
            continue
        yield f"<h2>Share of the roof, {words.threads_text(threads)}</h2>"
        yield (
            "<p>100% is the speed at which the same amount of memory is copied (or read and written, as the operation does) on the same "
            f"threads, measured in the same process.<br/>{_key(('faster', 'ours'), ('peer', 'peer'))}</p>"
        )
        yield f'<div class="wide">{charts.roof_chart(rows, "share of the roof, " + words.threads_text(threads))}</div>'


def _cell(text, kind="number"):
    return f'<td class="{kind}">{escape(text)}</td>'


def _table_row(row, has_roof):
    times = [row.ours.median_ms, row.ours.minimum_ms, row.peer.median_ms, row.peer.minimum_ms]
    cells = [_cell(row.problem.label, "name")] + [_cell(words.milliseconds(time)) for time in times]
    cells += [_cell(f"{row.ratio:.2f}"), _cell(words.spread(row.ratio_low, row.ratio_high))]
    if has_roof:
        cells += [_cell(words.percent(row.ours.roof_share)), _cell(words.percent(row.peer.roof_share))]
    cells += [_cell(row.ours.implementation, "name"), _cell(row.peer.implementation, "name"), _cell(words.remark(row), "name")]
    kind = ' class="noise"' if row.noise == WITHIN else ""
    return f"<tr{kind}>" + "".join(cells) + "</tr>"


def _figures(report):
    numbers = ["ours, ms", "minimum", "peer, ms", "minimum", "peer / ours", "repeats"] + (["ours / roof", "peer / roof"] if report.has_roof else [])
    head = "<th>problem</th>" + "".join(f'<th class="number">{name}</th>' for name in numbers)
    head += "<th>our implementation</th><th>peer's</th><th></th>"
    yield "<h2>Figures</h2>"
    yield "<p>Times are medians and minima, over the runs, of each run's fastest execution.</p>"
    yield f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>'
    for threads, knobs, rows in groups_of(report.rows):
        title = f"{words.threads_text(threads)}, {escape(knobs or 'default knobs')}"
        yield f'<tr class="group"><th colspan="{len(numbers) + 4}">{title}<br/><span class="soft">{escape(words.summary_text(summary_of(rows)))}</span></th></tr>'
        for row in rows:
            yield _table_row(row, report.has_roof)
    yield "</tbody></table></div>"


def _excluded(report):
    if not report.excluded:
        return
    yield "<h2>Not compared</h2>"
    yield "<p>A time counts only where both results are right. None of these is in the means.</p>"
    yield '<div class="wide"><table><tbody>'
    for one in sorted(report.excluded, key=lambda one: not one.is_failure):
        kind = "wrong" if one.is_failure else "soft"
        yield f"<tr>{_cell(one.problem.line, 'line')}<td>{words.threads_text(one.threads)}</td>{_cell(one.reason, kind)}</tr>"
    yield "</tbody></table></div>"


def _provenance(report):
    yield '<h2>How it was measured</h2><div class="wide"><table><tbody>'
    for name, value in report.facts:
        yield f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
    yield "</tbody></table></div>"
    yield "<p>The commands; those that measure ran in turns, ours, peer, ours, peer:</p>"
    yield "<pre>" + escape("\n".join(report.commands)) + "</pre>"


def text_of(report):
    counts = sorted({row.threads for row in report.rows})
    by_threads = [(threads, [row for row in report.rows if row.threads == threads]) for threads in counts]
    facts = dict(report.facts)
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>',
        f"<title>Comparison of two libraries</title><style>{STYLE}</style></head><body>",
        "<h1>Comparison of two libraries</h1>",
        f'<p class="soft">{escape(facts.get("Date", ""))} \u00b7 {escape(facts.get("CPU", ""))}</p>',
        '<div class="tiles">' + "".join(_tile(*one) for one in by_threads) + "</div>" if by_threads else "<p>Nothing was compared.</p>",
    ]
    wrong = sum(one.is_failure for one in report.excluded)
    if wrong:
        parts.append(f'<p class="wrong">{wrong} not compared, because a result is wrong or missing (listed below).</p>')
    parts += [f"<p>Note: {escape(note)}.</p>" for note in report.notes]
    for section in (_charts(report, by_threads), _excluded(report), _figures(report) if report.rows else (), _provenance(report)):
        parts += section
    return "\n".join(parts) + "\n</body></html>\n"
