# SPDX-License-Identifier: Apache-2.0
"""The comparison as CSV: a line for each problem and thread count, compared or not."""

import csv
import io

_SIDE = ["median_ms", "min_ms", "average_ms", "roof_share", "implementation", "runs_ms"]
HEAD = (
    ["threads", "name", "problem", "knobs", "line", "ratio", "ratio_low", "ratio_high", "noise"]
    + [f"{side}_{column}" for side in ("ours", "peer") for column in _SIDE]
    + ["not_compared"]
)


def _head_of(one):
    return [
        one.threads,
        one.problem.name,
        one.problem.descriptor,
        one.problem.knobs,
        one.problem.line,
    ]


def _side(side):
    roof = "" if side.roof_share is None else f"{side.roof_share:.4f}"
    runs = " ".join(f"{time:g}" for time in side.runs_ms)
    return [
        f"{side.median_ms:g}",
        f"{side.minimum_ms:g}",
        f"{side.average_ms:g}",
        roof,
        side.implementation,
        runs,
    ]


def text_of(report):
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(HEAD)
    for row in report.rows:
        ratios = [f"{value:.4f}" for value in (row.ratio, row.ratio_low, row.ratio_high)]
        out.writerow(
            _head_of(row) + ratios + [row.noise] + _side(row.ours) + _side(row.peer) + [""]
        )
    for one in report.excluded:
        out.writerow(_head_of(one) + [""] * (4 + 2 * len(_SIDE)) + [one.reason])
    return text.getvalue()
