#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the pictures of doc/performance: each is drawn from the figures beside it, and every file of
figures says where it comes from and is shown by a document."""

import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest import mock

PROJECT = Path(__file__).resolve().parents[2]
FOLDER = PROJECT / "doc/performance"
sys.path.insert(0, str(PROJECT / "scripts"))

import draw_performance  # noqa: E402
from comparison import ComparisonRefused, figure_file, pictures  # noqa: E402
from comparison.figure_file import FigureFile, Point  # noqa: E402

FACTS = {"title": "A <title>", "value": "ratio", "against": "a peer", "processor": "a processor",
         "measured": "today", "command": "a command"}


def file_of(values, **facts):
    points = [Point("panel", f"problem {i}", "1 thread", 1.0, value, value)
              for i, value in enumerate(values)]
    return FigureFile({**FACTS, **facts}, points)


class PicturesTest(unittest.TestCase):
    def test_pictures_are_drawn_from_their_figures(self):
        check = [sys.executable, "-B", str(PROJECT / "scripts/draw_performance.py"), "--check"]
        done = subprocess.run(check, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              universal_newlines=True)
        self.assertEqual(0, done.returncode, done.stdout)

    def test_pictures_are_shown_or_linked(self):
        text = "".join(page.read_text() for page in (PROJECT / "doc").rglob("*.md"))
        lost = [one.name for one in FOLDER.glob("*.svg") if f"{one.name})" not in text]
        self.assertEqual([], lost)

    def test_figures_survive_writing_and_reading(self):
        path = Path(self.id() + ".csv")
        try:
            path.write_text(figure_file.text_of(file_of([0.5, 2.0])))
            again = figure_file.read(path)
        finally:
            path.unlink()
        self.assertEqual(FACTS, again.facts)
        self.assertEqual([0.5, 2.0], [point.value for point in again.points])

    def test_figures_without_an_origin_are_refused(self):
        path = Path(self.id() + ".csv")
        try:
            path.write_text("# title: x\npanel,problem,series,ours_ms,peer_ms,value\na,b,c,1,2,\n")
            with self.assertRaises(ComparisonRefused):
                figure_file.read(path)
        finally:
            path.unlink()

    def test_a_comparison_is_adopted_and_drawn(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "figures").mkdir()
            (folder / "figures.csv").write_text(figure_file.text_of(file_of([0.5, 2.0])))
            with mock.patch.object(draw_performance, "FOLDER", folder):
                draw_performance.adopt("mine", folder, "My machine")
            drawn = draw_performance.texts(folder)
        self.assertEqual([folder / "mine.svg"], list(drawn))
        self.assertIn("My machine", drawn[folder / "mine.svg"])

    def test_any_values_give_well_formed_pictures(self):
        for values in ([1.0], [0.01, 1000.0], [0.9, 1.1], [1e-3, 1e15]):
            for facts in ({}, {"value": "share"}, {"most": "2"}, {"means": "no"}):
                ElementTree.fromstring(pictures.svg_of(file_of(values, **facts)))


if __name__ == "__main__":
    unittest.main()
