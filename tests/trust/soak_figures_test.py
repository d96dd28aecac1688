#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests how soak_figures.py judges runs that it makes up."""

import random
import unittest
import xml.dom.minidom

import soak_figures


def run(seconds=1800, allocated=lambda s: 3_000, resident=lambda s: 200_000, mappings=lambda s: 900, descriptors=lambda s: 4):
    noise = random.Random(1)
    return [{"second": s, "runs": 1000 * s,
             "allocated_kib": int(allocated(s) + noise.randint(-30, 30)),
             "resident_kib": int(resident(s) + noise.randint(-3000, 3000)),
             "mappings": int(mappings(s) + noise.randint(-30, 30)),
             "descriptors": int(descriptors(s))} for s in range(1, seconds + 1)]


class SoakFigures(unittest.TestCase):
    def grown(self, **columns):
        return list(soak_figures.growth(run(**columns)))

    def test_a_flat_run_does_not_grow(self):
        for seconds in (1, 5, 60, 100, 1800):
            self.assertEqual([], self.grown(seconds=seconds))

    def test_the_first_minute_may_grow(self):
        self.assertEqual([], self.grown(resident=lambda s: min(s, 60) * 5000,
                                        mappings=lambda s: min(s, 60) * 100))

    def test_a_leak_is_found(self):
        # A byte in each run.
        self.assertEqual(["allocated_kib"], self.grown(allocated=lambda s: 3_000 + s / 2))
        # 20 KiB a second are less than 0.1% of the runs' memory, 34 MiB in half an hour.
        self.assertEqual(["resident_kib"], self.grown(resident=lambda s: 200_000 + 20 * s))
        self.assertEqual(["mappings"], self.grown(mappings=lambda s: 900 + s / 10))
        self.assertEqual(["descriptors"], self.grown(descriptors=lambda s: 4 + s // 1000))

    def test_the_plot_is_xml_with_a_panel_for_each_column(self):
        plotted = xml.dom.minidom.parseString(soak_figures.plot(run()))
        self.assertEqual(4, len(plotted.getElementsByTagName("polyline")))


if __name__ == "__main__":
    unittest.main()
