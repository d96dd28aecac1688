#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/verbose_report.py with the lines of verbose.log, which lie beside this file."""

import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
LOG = Path(__file__).with_name("verbose.log")
SCRIPT = PROJECT / "scripts/verbose_report.py"
sys.path.insert(0, str(PROJECT / "scripts"))

from verbose import log, summary, timeline  # noqa: E402


def report(text, *words):
    return subprocess.run([sys.executable, "-B", SCRIPT, *words], input=text, capture_output=True,
                          text=True, check=False)


class VerboseReport(unittest.TestCase):
    def setUp(self):
        self.text = LOG.read_text()
        self.lines = self.text.splitlines()

    def test_counts_every_line_with_a_time(self):
        found = log.read(self.lines)
        self.assertEqual(len(found.executions()), self.text.count("primitive,exec,"))
        self.assertEqual(len(found.creations()), self.text.count("create:cache"))
        self.assertEqual(len(found.graph_events), self.text.count("graph,exec,"))
        times = [float(line.rsplit(",", 1)[1]) for line in self.lines if "primitive,exec," in line]
        self.assertAlmostEqual(summary.total(found.executions()), sum(times))
        self.assertFalse(found.messages)

    def test_time_stamps_may_be_absent(self):
        without = [re.sub(r"^(onednn_verbose,v1,)\d+\.\d+,", r"\1", line) for line in self.lines]
        found, stamped = log.read(without), log.read(self.lines)
        self.assertEqual([event.problem for event in found.events],
                         [event.problem for event in stamped.events])
        self.assertTrue(all(event.begin is None for event in found.events))
        self.assertTrue(all(event.begin > 1e12 for event in stamped.events))

    def test_names_the_layouts_of_products(self):
        line = ("onednn_verbose,v1,primitive,exec,cpu,matmul,jit:tiles,undef,src:f32:a:blocked:ab::f0 "
                "wei:f32:ap:blocked:Ba16b::f0 dst:f32:a:blocked:ab::f0,,,64x64:64x10,0.005")
        self.assertEqual("f32 src:ab wei:Ba16b dst:ab 64x64:64x10", log.read([line]).events[0].problem.text())

    def test_says_why_the_reference_ran(self):
        result = report(self.text)
        self.assertEqual(result.returncode, 0, result.stderr)
        row = next(line for line in result.stdout.splitlines() if "ref:any" in line and "f64" in line)
        self.assertIn("300x50", row)
        section = result.stdout.split("What ran on reference code, and why")[1].split("\n\n")[0]
        reason = "a tensor is not f32, bf16 or f16, nor, forward, s8 or u8"
        self.assertIn(f"jit:rows: {reason}; jit:columns: {reason}", section)

    def test_says_where_the_reasons_are_missing(self):
        profile = "\n".join(line for line in self.lines if "create:dispatch" not in line)
        self.assertIn("record it with ONEDNN_VERBOSE=all", report(profile).stdout)

    def test_a_reason_may_have_commas(self):
        line = next(line for line in self.lines if "create:dispatch" in line)
        changed = line.replace("a tensor is not f32, bf16 or f16, nor, forward, s8 or u8", "a, b, and c")
        reasons = log.read([changed]).refusals.values()
        self.assertEqual([list(found.values()) for found in reasons], [["a, b, and c"]])

    def test_shares_of_a_table_add_up_to_one(self):
        for table in summary.tables(log.read(self.lines), None):
            if "share" in table.columns:
                at = table.columns.index("share")
                self.assertAlmostEqual(sum(row[at] for row in table.rows), 1, msg=table.title)

    def test_lines_of_the_program_and_lines_cut_off_are_skipped(self):
        exec_line = next(line for line in self.lines if "primitive,exec," in line)
        for cut in range(len(exec_line)):
            found = log.read([exec_line[:cut]])
            # A time that lost digits is still a time.
            self.assertLessEqual(len(found.events), 1)
            if cut < exec_line.rindex(",") + 2:
                self.assertEqual(found.events, [], exec_line[:cut])
        mixed = log.read(["step 3", "x" + exec_line, "", ","])
        self.assertEqual(len(mixed.events), 1)

    def test_messages_are_listed(self):
        line = "onednn_verbose,v1,common,error,runtime,no device of engine kind gpu is available,a.cpp:19"
        self.assertIn("no device of engine kind gpu", report(line).stdout)

    def test_the_page_is_well_formed_and_needs_no_other_file(self):
        with tempfile.TemporaryDirectory() as folder:
            for text in (self.text, self.text.replace("eltwise,jit:rows", "<b>&,jit:rows")):
                page = Path(folder) / "page.html"
                self.assertEqual(report(text, "--html", str(page)).returncode, 0)
                written = page.read_text()
                root = xml.fromstring(written)
                self.assertIsNone(root.find(".//script"))
                self.assertNotRegex(written, r"(src|href)=|@import|url\(")
                self.assertEqual(len(root.findall(".//svg")), 1)

    def test_the_timeline_shows_each_execution_once(self):
        executions = log.read(self.lines).executions()
        _, drawing = timeline.timeline(executions)
        titles = re.findall(r"<title>([^<]*)</title>", drawing)
        shown = sum(1 + int(match[1]) if (match := re.search(r"and (\d+) more$", title)) else 1
                    for title in titles)
        self.assertEqual(shown, len(executions))
        self.assertEqual(drawing.count('class="ref"'), 1)

    def test_a_log_without_events_is_an_error(self):
        result = report("nothing\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("ONEDNN_VERBOSE=profile", result.stderr)
        self.assertEqual(report("", "/no/such/file").returncode, 2)


if __name__ == "__main__":
    unittest.main()
