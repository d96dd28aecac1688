# SPDX-License-Identifier: Apache-2.0
"""Reads verdicts and times from the output of benchdnn."""

import re
from dataclasses import dataclass
from typing import Dict, List, Optional

from comparison import ComparisonRefused

MARK = "compared"
FIELDS = ["%idx%", "%prb%", "%-time%", "%0time%", "%impl%"]
ROOF_FIELD = "%roof%"

# Ordered by severity, for a problem that is given twice.
STATES = [
    "PASSED",
    "MISTRUSTED",
    "SKIPPED",
    "UNIMPLEMENTED",
    "INVALID_ARGUMENTS",
    "FAILED",
    "CRASHED",
]

_VERDICT = re.compile(r"^(\d+):([A-Z_]+)(?: \((.*)\))? \(\d+ ms\) __REPRO: (.*)$")


def perf_template(with_roof):
    """Problem lines contain no tabs, since words of benchdnn contain no white space."""
    return "\t".join([MARK] + FIELDS + ([ROOF_FIELD] if with_roof else []))


@dataclass
class Verdict:
    state: str
    reason: str = ""

    def __str__(self):
        return f"{self.state} ({self.reason})" if self.reason else self.state


@dataclass
class Measurement:
    """The fastest and the average execution of one problem in one run, in milliseconds."""

    best_ms: float
    average_ms: float
    implementation: str
    roof_share: Optional[float] = None


@dataclass
class Output:
    verdicts: Dict[str, Verdict]
    measurements: Dict[str, Measurement]
    seen: List[int]
    info: str = ""
    library_threads: Optional[int] = None


def problem_line(reproduction, driver):
    """The part that identifies the problem; knobs before the driver concern the run."""
    words = reproduction.split()
    if f"--{driver}" not in words:
        raise ComparisonRefused(
            f"a problem of another driver than --{driver}: {reproduction}; one driver at a time"
        )
    return " ".join(words[words.index(f"--{driver}") :])


def _worse(first, second):
    rank = {state: place for place, state in enumerate(STATES)}
    return (
        second if first is None or rank.get(second.state, 99) > rank.get(first.state, 99) else first
    )


def _share(text):
    """%roof% is a percentage; empty if no roof was measured."""
    try:
        return float(text.rstrip("%")) / 100
    except ValueError:
        return None


def _read_measurement(line, driver, output):
    fields = line.split("\t")
    if not fields[1].isdigit():
        return  # the line of column names
    index, reproduction, best, average, implementation = fields[1:6]
    output.seen.append(int(index))
    key = problem_line(reproduction, driver)
    measured = Measurement(
        float(best), float(average), implementation, _share(fields[6]) if len(fields) > 6 else None
    )
    before = output.measurements.get(key)
    if before is None or measured.best_ms < before.best_ms:
        output.measurements[key] = measured


def _read_info(line, output):
    info = line.split(",info,", 1)[1]
    threads = re.search(r"nthr:(\d+)", info)
    if threads:
        output.library_threads = int(threads.group(1))
        info = re.sub(r",?nthr:\d+", "", info)
    # Fields that are the same for both libraries are left out.
    if not info.startswith(("gpu,", "graph")) and "template:" not in info:
        output.info += ("; " if output.info else "") + info


def read(text, driver, start=0):
    """`start`: problems before it were skipped on purpose; their lines are ignored."""
    output = Output({}, {}, [])
    told = set()  # failures are told again at the end
    for line in text.splitlines():
        if line.startswith(MARK + "\t"):
            _read_measurement(line, driver, output)
        elif "verbose," in line and ",info," in line:
            _read_info(line, output)
        else:
            match = _VERDICT.match(line)
            if not match or int(match.group(1)) < start or match.group(1) in told:
                continue
            told.add(match.group(1))
            output.seen.append(int(match.group(1)))
            key = problem_line(match.group(4), driver)
            verdict = Verdict(match.group(2), match.group(3) or "")
            output.verdicts[key] = _worse(output.verdicts.get(key), verdict)
    return output


def join(first, second):
    """Of a run that continued after a crash."""
    for key, verdict in second.verdicts.items():
        first.verdicts[key] = _worse(first.verdicts.get(key), verdict)
    first.measurements.update(second.measurements)
    first.seen += second.seen
    first.info = first.info or second.info
    first.library_threads = first.library_threads or second.library_threads
    return first


def problems_of(text, driver):
    """The lines of --mode=L in order."""
    matches = map(_VERDICT.match, text.splitlines())
    return [problem_line(match.group(4), driver) for match in matches if match]
