# SPDX-License-Identifier: Apache-2.0
"""Runs benchdnn with one of two libraries, on given CPUs, and continues after crashes."""

import os
import re
import signal
import subprocess

from comparison import ComparisonRefused, benchdnn_output
from comparison.library import environment

SOMETHING_FAILED = 1  # an exit code; a greater one means that nothing ran


class Benchdnn:
    """The program and its problems. Keeps its commands for the report."""

    def __init__(self, settings):
        self.settings = settings
        self.commands = []
        self.problems = []  # their lines in order, with repetitions, once know() has asked
        self.knows_roof = False

    def know(self, library):
        """Asks for the list of problems and whether a roof can be measured."""
        driver, words = f"--{self.settings.driver}", self.settings.words
        listing = self._run(library, 1, ["--mode=L", driver] + words)[0]
        self.problems = benchdnn_output.problems_of(listing, self.settings.driver)
        if not self.problems:
            raise ComparisonRefused(f"there are no problems in: {driver} {' '.join(words)}")
        help_text = self._run(library, 1, [driver, "--help"])[0]
        self.knows_roof = re.search(r"^\s*--roof\b", help_text, re.MULTILINE) is not None

    def check(self, library, threads):
        head = ["--mode=C", f"--{self.settings.driver}"]
        return self._run_all(library, threads, head, {"ONEDNN_VERBOSE": "1"})

    def measure(self, library, threads):
        head = ["--mode=P", f"--max-ms-per-prb={self.settings.max_ms:g}"]
        template = benchdnn_output.perf_template(self.knows_roof)
        head += [f"--{self.settings.driver}", f"--perf-template={template}"]
        head += ["--roof"] if self.knows_roof else []
        return self._run_all(library, threads, head, {"ONEDNN_VERBOSE": "0"})

    def _run_all(self, library, threads, head, variables):
        """A crash affects the problem in which it happened; the run continues with the next one."""
        output, start = None, 0
        while start < len(self.problems):
            # --start comes first, so that it applies to all problems.
            skip = [f"--start={start}"] if start else []
            text, code = self._run(library, threads, skip + head + self.settings.words, variables)
            part = benchdnn_output.read(text, self.settings.driver, start)
            output = part if output is None else benchdnn_output.join(output, part)
            if code >= 0:
                break
            crashed = max([start - 1] + part.seen) + 1
            if crashed >= len(self.problems):
                break  # it ended badly after all problems were told
            name = signal.Signals(-code).name
            output.verdicts[self.problems[crashed]] = benchdnn_output.Verdict("CRASHED", name)
            start = crashed + 1
        return output

    def _run(self, library, threads, words, variables=None):
        command = [str(self.settings.benchdnn)] + words
        cpus = self.settings.cpus[:threads]
        variables = environment(library.directory, **(variables or {}))
        self._note(variables["LD_LIBRARY_PATH"], cpus, command)
        done = subprocess.run(
            command,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            errors="replace",
            preexec_fn=lambda: os.sched_setaffinity(0, cpus),
        )
        if done.returncode > SOMETHING_FAILED:
            told = done.stderr.strip() or done.stdout.strip()
            raise ComparisonRefused(
                f"benchdnn ended with code {done.returncode}: {told}\n{self.commands[-1]}"
            )
        return done.stdout, done.returncode

    def _note(self, path, cpus, command):
        quoted = " ".join(_quoted(word) for word in command)
        path, places = _quoted(path), ",".join(map(str, cpus))
        line = f"LD_LIBRARY_PATH={path} taskset -c {places} {quoted}"
        if line not in self.commands:
            self.commands.append(line)


def _quoted(word):
    if "\t" in word:
        return "$'" + word.replace("\\", "\\\\").replace("'", "\\'").replace("\t", "\\t") + "'"
    return word if re.match(r"^[\w@%+=:,./-]+$", word) else "'" + word.replace("'", "'\\''") + "'"
