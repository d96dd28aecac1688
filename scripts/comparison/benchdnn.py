# SPDX-License-Identifier: Apache-2.0
"""Runs benchdnn and reads what it prints. Does not judge what it read."""

import os
import re
import signal
import subprocess
from dataclasses import dataclass
from typing import Dict, List, Optional

from comparison import ComparisonRefused
from comparison.library import environment

# Tabs occur in no problem line, since words of benchdnn hold no white space.
MARK = "compared"
FIELDS = ["%idx%", "%prb%", "%-time%", "%0time%", "%impl%"]
SOMETHING_FAILED = 1  # an exit code; a greater one means that nothing ran

# In the order of severity, for a problem that is given twice.
STATES = ["PASSED", "MISTRUSTED", "SKIPPED", "UNIMPLEMENTED", "INVALID_ARGUMENTS", "FAILED", "CRASHED"]

_VERDICT = re.compile(r"^(\d+):([A-Z_]+)(?: \((.*)\))? \(\d+ ms\) __REPRO: (.*)$")


@dataclass
class Verdict:
    state: str
    reason: str = ""

    def __str__(self):
        return f"{self.state} ({self.reason})" if self.reason else self.state


@dataclass
class Measurement:
    """Of one problem in one run: the fastest and the average execution in milliseconds."""

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
    """The part that names the problem: what stands before the driver says how it was run."""
    words = reproduction.split()
    if f"--{driver}" not in words:
        raise ComparisonRefused(f"a problem of another driver than --{driver}: {reproduction}; one driver at a time")
    return " ".join(words[words.index(f"--{driver}") :])


def _worse(first, second):
    rank = {state: place for place, state in enumerate(STATES)}
    return second if first is None or rank.get(second.state, 99) > rank.get(first.state, 99) else first


def _share(text):
    """%roof% is a percentage; nothing where no roof was measured."""
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
    measured = Measurement(float(best), float(average), implementation, _share(fields[6]) if len(fields) > 6 else None)
    before = output.measurements.get(key)
    if before is None or measured.best_ms < before.best_ms:
        output.measurements[key] = measured


def _read_info(line, output):
    info = line.split(",info,", 1)[1]
    threads = re.search(r"nthr:(\d+)", info)
    if threads:
        output.library_threads = int(threads.group(1))
        info = re.sub(r",?nthr:\d+", "", info)
    # What says nothing about who was measured is left out.
    if not info.startswith(("gpu,", "graph")) and "template:" not in info:
        output.info += ("; " if output.info else "") + info


def read(text, driver, start=0):
    """`start`: problems before it were skipped on purpose, and their lines say nothing."""
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
            output.verdicts[key] = _worse(output.verdicts.get(key), Verdict(match.group(2), match.group(3) or ""))
    return output


class Benchdnn:
    """The program with the problems it is given; `cpus` are those threads are pinned to."""

    def __init__(self, program, driver, words, cpus, max_ms):
        self.program, self.driver, self.words, self.cpus, self.max_ms = program, driver, words, cpus, max_ms
        self.commands = []
        # Empty until known(): the lines in order, with repetitions.
        self.problems = []
        self.knows_roof = False

    def know(self, library):
        """Asks which problems there are and whether a roof can be measured."""
        text = self._run(library, 1, ["--mode=L", f"--{self.driver}"] + self.words)[0]
        lines = [match.group(4) for match in map(_VERDICT.match, text.splitlines()) if match]
        self.problems = [problem_line(line, self.driver) for line in lines]
        if not self.problems:
            raise ComparisonRefused(f"there are no problems in: --{self.driver} {' '.join(self.words)}")
        help_text = self._run(library, 1, [f"--{self.driver}", "--help"])[0]
        self.knows_roof = re.search(r"^\s*--roof\b", help_text, re.MULTILINE) is not None

    def check(self, library, threads):
        return self._run_all(library, threads, ["--mode=C", f"--{self.driver}"], {"ONEDNN_VERBOSE": "1"})

    def measure(self, library, threads):
        template = "\t".join([MARK] + FIELDS + (["%roof%"] if self.knows_roof else []))
        head = ["--mode=P", f"--max-ms-per-prb={self.max_ms:g}"] + (["--roof"] if self.knows_roof else [])
        return self._run_all(library, threads, head + [f"--{self.driver}", f"--perf-template={template}"], {"ONEDNN_VERBOSE": "0"})

    def _run_all(self, library, threads, head, variables):
        """A crash costs the problem it happened in; the run goes on behind it."""
        output, start = None, 0
        while start < len(self.problems):
            # --start stands in front, so that it is in force wherever problems come from.
            skip = [f"--start={start}"] if start else []
            text, code = self._run(library, threads, skip + head + self.words, variables)
            part = read(text, self.driver, start)
            output = part if output is None else _joined(output, part)
            if code >= 0:
                break
            crashed = max([start - 1] + part.seen) + 1
            if crashed >= len(self.problems):
                break  # after the last problem, which have all been told
            name = signal.Signals(-code).name
            output.verdicts[self.problems[crashed]] = Verdict("CRASHED", name)
            start = crashed + 1
        return output

    def _run(self, library, threads, words, variables=None):
        command = [str(self.program)] + words
        cpus = self.cpus[:threads]
        self._note(library, cpus, command)
        done = subprocess.run(
            command,
            env=environment(library.directory, **(variables or {})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            errors="replace",
            preexec_fn=lambda: os.sched_setaffinity(0, cpus),
        )
        if done.returncode > SOMETHING_FAILED:
            told = done.stderr.strip() or done.stdout.strip()
            raise ComparisonRefused(f"benchdnn ended with code {done.returncode}: {told}\n{self.commands[-1]}")
        return done.stdout, done.returncode

    def _note(self, library, cpus, command):
        quoted = " ".join(_quoted(word) for word in command)
        line = f"LD_LIBRARY_PATH={_quoted(str(library.directory))} taskset -c {','.join(map(str, cpus))} {quoted}"
        if line not in self.commands:
            self.commands.append(line)


def _quoted(word):
    if "\t" in word:
        return "$'" + word.replace("\\", "\\\\").replace("'", "\\'").replace("\t", "\\t") + "'"
    return word if re.match(r"^[\w@%+=:,./-]+$", word) else "'" + word.replace("'", "'\\''") + "'"


def _joined(first, second):
    for key, verdict in second.verdicts.items():
        first.verdicts[key] = _worse(first.verdicts.get(key), verdict)
    first.measurements.update(second.measurements)
    first.seen += second.seen
    first.info = first.info or second.info
    first.library_threads = first.library_threads or second.library_threads
    return first
