# SPDX-License-Identifier: Apache-2.0
"""A whole comparison: identify the libraries, check, measure alternately, write."""

import datetime
import shlex
import sys

from comparison import ComparisonRefused, command_line, csv_file, figure_file, figures, library
from comparison import machine, page, pictures, table
from comparison.benchdnn import Benchdnn
from comparison.benchdnn_output import Verdict
from comparison.report import Report, threads_text

RIGHT, WRONG, REFUSED = 0, 1, 2


class Progress:
    """One overwritten line on a terminal, nothing in a pipe."""

    def __init__(self, total):
        self.total, self.done, self.is_terminal = total, 0, sys.stderr.isatty()

    def tell(self, text):
        self.done += 1
        if self.is_terminal:
            print(f"\r[{self.done}/{self.total}] {text}\x1b[K", end="", file=sys.stderr, flush=True)

    def clear(self):
        if self.is_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Session:
    def __init__(self, settings):
        self.settings = settings
        self.sides = library.identify_both(settings.benchdnn, settings.library, settings.peer)
        self.program = Benchdnn(settings)
        self.progress = Progress(2 * len(settings.threads) * (1 + settings.repeats))
        self.rows, self.excluded, self.notes = [], [], []

    def run(self):
        facts = self._facts_before()
        self.program.know(self.sides[0])
        if not self.program.knows_roof:
            self.notes.append("this benchdnn has no --roof, so shares of the roof are left out")
        if self.settings.repeats < 3:
            self.notes.append("fewer than 3 repeats say little about noise")
        self.settings.output.mkdir(parents=True, exist_ok=True)  # or fail before hours of work
        for threads in self.settings.threads:
            self._measure(threads, self._check(threads))
        self.progress.clear()
        facts += [(f"Library, {side.side}", side.description()) for side in self.sides]
        return Report(self.rows, self.excluded, facts, self.program.commands, self.notes)

    def _facts_before(self):
        now = datetime.datetime.now().astimezone()
        return [("Date", now.strftime("%Y-%m-%d %H:%M %Z"))] + machine.describe(self.settings.cpus)

    def _check(self, threads):
        """The problems that are right on both sides; the others are listed separately."""
        outputs = []
        for side in self.sides:
            self.progress.tell(f"{threads_text(threads)}: checking {side.side}")
            output = self.program.check(side, threads)
            side.info = side.info or output.info
            self._look_at_threads(side, threads, output.library_threads)
            outputs.append(output)
        right = []
        for line in dict.fromkeys(self.program.problems):
            verdicts = [output.verdicts.get(line, Verdict("NOT RUN")) for output in outputs]
            excluded = figures.exclusion(figures.problem_of(line), threads, *verdicts)
            self.excluded.append(excluded) if excluded else right.append(line)
        return right

    def _look_at_threads(self, side, wanted, told):
        if told is not None and told != wanted:
            self.notes.append(f"{side.side} has {told} threads where {wanted} were asked for")

    def _measure(self, threads, lines):
        runs = ([], [])
        for repeat in range(self.settings.repeats if lines else 0):
            for side, outputs in zip(self.sides, runs):
                number = f"run {repeat + 1} of {self.settings.repeats}"
                self.progress.tell(f"{threads_text(threads)}: measuring {side.side}, {number}")
                outputs.append(self.program.measure(side, threads))
        for line in lines:
            problem = figures.problem_of(line)
            reason = _missing(line, zip(self.sides, runs))
            if reason:
                self.excluded.append(figures.Excluded(problem, threads, reason, True))
                continue
            times = [[output.measurements[line] for output in outputs] for outputs in runs]
            self.rows.append(figures.compare(problem, threads, *times))


def _missing(line, sides_and_runs):
    for side, outputs in sides_and_runs:
        for number, output in enumerate(outputs, 1):
            measured = output.measurements.get(line)
            if measured is None or not measured.best_ms > 0:
                verdict = output.verdicts.get(line, "no time above zero" if measured else "no time")
                return f"{side.side}: right, but not measured in run {number}: {verdict}"
    return ""


def write_files(report, directory):
    texts = {"comparison.csv": csv_file.text_of(report), "comparison.html": page.text_of(report)}
    if report.rows:
        drawn = figure_file.of_report(report)
        texts["figures.csv"] = figure_file.text_of(drawn)
        texts["figures.svg"] = pictures.svg_of(drawn)
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8")
    return [str(directory / name) for name in texts]


def main(arguments):
    try:
        settings = command_line.read(arguments)
        report = Session(settings).run()
        report.commands.insert(0, shlex.join(["scripts/compare.py"] + list(arguments)))
        print(table.text_of(report))
        print("written:", ", ".join(write_files(report, settings.output)))
    except (ComparisonRefused, OSError) as refused:
        print(f"compare.py: {refused}", file=sys.stderr)
        return REFUSED
    return WRONG if report.is_failed else RIGHT
