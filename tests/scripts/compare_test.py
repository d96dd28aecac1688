# SPDX-License-Identifier: Apache-2.0
"""compare.py: reading, arithmetic, what is refused, what is written. A program that prints what the
test wants stands in for benchdnn; the last tests run the real one with a shared library."""

import contextlib
import csv
import io
import json
import math
import os
import re
import shutil
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))

import compare_random
from comparison import ComparisonRefused, benchdnn_output, command_line, figure_file, figures
from comparison import library
from comparison import random_elementwise, random_problems, session
from comparison.benchdnn_output import Measurement, Verdict

FAKE = HERE / "fake_benchdnn.py"
SMALL, LARGE, BYTES = [
    '--lnorm --flags=CH 4x16_n"small"',
    '--lnorm --flags=CH 64x512_n"a&b<c>"',
    "--lnorm --dt=u8 8x8",
]

CHECKED = """\
onednn_verbose,v1,info,oneDNN v3.13.1 (commit 0123abc)
onednn_verbose,v1,info,cpu,runtime:TBB,nthr:2
onednn_verbose,v1,info,gpu,runtime:none
onednn_verbose,v1,primitive,info,template:operation,engine,primitive,exec_time
onednn_verbose,v1,primitive,exec,cpu,layer_normalization,jit:rows,forward_training,,,,4x16,0.002
0:PASSED (29 ms) __REPRO: --lnorm --flags=CH 4x16_n"small"
[COMPARE][diff_src] total:64 errors:64 zeros:0 largest error/tolerance:0
1:FAILED (errors:64 total:80) (8 ms) __REPRO: --lnorm --dir=BWD_DW --flags=CM 4x16
2:UNIMPLEMENTED (0 ms) __REPRO: --lnorm --dir=BWD_DW --dt=u8:s8 4x16
3:SKIPPED (Invalid case) (0 ms) __REPRO: --lnorm --dir=BWD_DW --inplace=true 4x16
4:PASSED (0 ms) __REPRO: --lnorm --dir=BWD_DW --flags=CM 4x16
failed (--summary=no-failures leaves this out):
1:FAILED (errors:64 total:80) (8 ms) __REPRO: --lnorm --dir=BWD_DW --flags=CM 4x16
tests:5 passed:2 skipped:1 mistrusted:0 unimplemented:1 invalid_arguments:0 failed:2 listed:0
total: 0.00s;
"""

MEASURED = (
    "Template entries: compared\t%idx%\t%prb%\t%-time%\t%0time%\t%impl%\n"
    "compared\tidx\tprb\tmin_time\tavg_time\timpl\n"
    'compared\t0\t--mode=P --max-ms-per-prb=20 --lnorm 4x16_n"abc"\t9.5e-05\t0.0001\tjit:rows\n'
    "compared\t1\t--mode=P --max-ms-per-prb=20 --lnorm 8x8\t0.5\t0.6\tref:any\t87.5\n"
    "compared\t2\t--mode=P --max-ms-per-prb=20 --lnorm 8x8\t0.4\t0.6\tref:any\t\n"
)


def measurements(*times):
    return [Measurement(time, 2 * time, "jit:rows") for time in times]


def row(ours, peer, line=SMALL, threads=1):
    return figures.compare(
        figures.problem_of(line), threads, measurements(*ours), measurements(*peer)
    )


class Reading(unittest.TestCase):
    def test_verdicts_are_read_with_their_reasons(self):
        verdicts = benchdnn_output.read(CHECKED, "lnorm").verdicts
        self.assertEqual(verdicts[SMALL], Verdict("PASSED"))
        self.assertEqual(
            verdicts["--lnorm --dir=BWD_DW --inplace=true 4x16"], Verdict("SKIPPED", "Invalid case")
        )
        self.assertEqual(verdicts["--lnorm --dir=BWD_DW --dt=u8:s8 4x16"].state, "UNIMPLEMENTED")

    def test_a_problem_given_twice_is_as_bad_as_its_worse_verdict(self):
        verdicts = benchdnn_output.read(CHECKED, "lnorm").verdicts
        self.assertEqual(
            str(verdicts["--lnorm --dir=BWD_DW --flags=CM 4x16"]), "FAILED (errors:64 total:80)"
        )

    def test_the_library_names_itself_and_its_threads(self):
        output = benchdnn_output.read(CHECKED, "lnorm")
        self.assertEqual(output.info, "oneDNN v3.13.1 (commit 0123abc); cpu,runtime:TBB")
        self.assertEqual(output.library_threads, 2)

    def test_times_are_read_and_knobs_of_the_run_do_not_name_the_problem(self):
        measured = benchdnn_output.read(MEASURED, "lnorm").measurements
        self.assertEqual(list(measured), ['--lnorm 4x16_n"abc"', "--lnorm 8x8"])
        self.assertEqual(measured['--lnorm 4x16_n"abc"'], Measurement(9.5e-05, 0.0001, "jit:rows"))

    def test_a_problem_measured_twice_counts_by_its_faster_time(self):
        self.assertEqual(
            benchdnn_output.read(MEASURED, "lnorm").measurements["--lnorm 8x8"].best_ms, 0.4
        )

    def test_the_share_of_the_roof_is_a_percentage_or_missing(self):
        first_two = "".join(MEASURED.splitlines(True)[:4])
        measured = benchdnn_output.read(first_two, "lnorm").measurements
        self.assertEqual(measured["--lnorm 8x8"].roof_share, 0.875)
        self.assertIsNone(measured['--lnorm 4x16_n"abc"'].roof_share)

    def test_a_problem_of_another_driver_is_refused(self):
        with self.assertRaisesRegex(ComparisonRefused, "one driver at a time"):
            benchdnn_output.read("0:PASSED (1 ms) __REPRO: --bnorm mb2ic16ih4\n", "lnorm")

    def test_a_line_falls_into_knobs_dims_and_name(self):
        problem = figures.problem_of('--lnorm --dt=bf16:bf16 --flags=CH 12x197x768_n"vit_b16"')
        self.assertEqual(problem.knobs, "--dt=bf16:bf16 --flags=CH")
        self.assertEqual((problem.descriptor, problem.name), ("12x197x768", "vit_b16"))
        self.assertEqual(figures.problem_of("--lnorm 4x16").label, "4x16")

    def test_a_name_needs_no_underscore(self):
        for line in '--bnorm --flags=CH mb2ic16ih4n"res3"', '--bnorm --flags=CH mb2ic16ih4_n"res3"':
            problem = figures.problem_of(line.replace("res3", "res3"))
            self.assertEqual((problem.descriptor, problem.name), ("mb2ic16ih4", "res3"))

    def test_a_graph_is_named_by_its_file(self):
        problem = figures.problem_of("--graph --dt=bf16 --case=fusion/add_rms_norm.json")
        self.assertEqual((problem.knobs, problem.label), ("--dt=bf16", "add_rms_norm"))


class Arithmetic(unittest.TestCase):
    def test_the_ratio_is_that_of_medians_and_its_spread_that_of_pairs(self):
        one = row([1.0, 2.0, 4.0], [3.0, 2.0, 10.0])
        self.assertEqual((one.ours.median_ms, one.ours.minimum_ms), (2.0, 1.0))
        self.assertEqual((one.peer.median_ms, one.peer.minimum_ms), (3.0, 2.0))
        self.assertEqual((one.ratio, one.ratio_low, one.ratio_high), (1.5, 1.0, 3.0))

    def test_a_spread_that_includes_one_is_noise(self):
        self.assertEqual(row([1.0, 1.0, 1.0], [1.1, 0.9, 1.2]).noise, figures.WITHIN)
        self.assertEqual(row([1.0, 1.0, 1.0], [1.0, 1.5, 1.5]).noise, figures.WITHIN)
        self.assertEqual(row([1.0, 1.0, 1.0], [1.1, 1.3, 1.2]).noise, figures.OUTSIDE)
        self.assertEqual(row([1.0, 1.0, 1.0], [0.7, 0.8, 0.9]).noise, figures.OUTSIDE)

    def test_one_run_says_nothing_about_noise(self):
        self.assertEqual(row([1.0], [2.0]).noise, figures.UNKNOWN)

    def test_the_mean_is_geometric_and_its_spread_that_of_the_repeats_means(self):
        summary = figures.summary_of(
            [row([1.0, 1.0, 1.0], [4.0, 4.0, 16.0]), row([2.0] * 3, [2.0] * 3, LARGE)]
        )
        self.assertAlmostEqual(summary.mean, 2.0)
        self.assertAlmostEqual(summary.mean_low, 2.0)
        self.assertAlmostEqual(summary.mean_high, 4.0)
        self.assertEqual(
            (summary.worst.problem.line, summary.count, summary.within_noise), (LARGE, 2, 1)
        )

    def test_rows_are_grouped_by_threads_and_knobs(self):
        rows = [
            row([1.0], [1.0], line, threads) for threads in (1, 2) for line in (SMALL, BYTES, LARGE)
        ]
        groups = [
            (threads, knobs, len(members)) for threads, knobs, members in figures.groups_of(rows)
        ]
        self.assertEqual(
            groups,
            [(1, "--flags=CH", 2), (1, "--dt=u8", 1), (2, "--flags=CH", 2), (2, "--dt=u8", 1)],
        )


class Exclusion(unittest.TestCase):
    def excluded(self, ours, peer):
        return figures.exclusion(figures.problem_of(SMALL), 1, Verdict(ours), Verdict(peer))

    def test_right_and_mistrusted_results_are_compared(self):
        for ours in figures.RIGHT:
            for peer in figures.RIGHT:
                self.assertIsNone(self.excluded(ours, peer))

    def test_what_the_peer_does_not_offer_is_no_failure(self):
        one = self.excluded("PASSED", "UNIMPLEMENTED")
        self.assertEqual((one.reason, one.is_failure), ("peer: unimplemented", False))
        self.assertFalse(self.excluded("UNIMPLEMENTED", "UNIMPLEMENTED").is_failure)

    def test_everything_else_is(self):
        for ours, peer in (
            ("FAILED", "PASSED"),
            ("PASSED", "FAILED"),
            ("FAILED", "UNIMPLEMENTED"),
            ("UNIMPLEMENTED", "PASSED"),
            ("SKIPPED", "PASSED"),
            ("PASSED", "INVALID_ARGUMENTS"),
            ("PASSED", "CRASHED"),
            ("NOT RUN", "PASSED"),
        ):
            self.assertTrue(self.excluded(ours, peer).is_failure, (ours, peer))


class PageReader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.names, self.references = [], []

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.references += [
            value for name, value in attrs if name in ("src", "href", "xlink:href", "data")
        ]


class WithFakeBenchdnn(unittest.TestCase):
    """Sides are directories; the loader is not asked which file it takes."""

    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix=self.directory_prefix()))
        self.addCleanup(shutil.rmtree, self.root)
        for side in ("ours", "peer"):
            (self.root / side).mkdir()
            (self.root / side / "libdnnl.so.3").write_text(side)
        self.set_side("ours", [1.0, 1.1, 0.9])
        self.set_side("peer", [2.0, 2.0, 2.0])
        found = mock.patch.object(
            library, "loaded_file", lambda _, directory: str(Path(directory) / "libdnnl.so.3")
        )
        found.start()
        self.addCleanup(found.stop)

    @staticmethod
    def directory_prefix():
        return "compare_test_"

    def set_side(self, side, times, **states):
        lines = {"small": SMALL, "large": LARGE, "bytes": BYTES}
        content = {
            "state": {lines[name]: state for name, state in states.items()},
            "ms": {line: times for line in lines.values()},
        }
        (self.root / side / "side.json").write_text(json.dumps(content))

    def run_compare(self, *more):
        self.out, self.err = io.StringIO(), io.StringIO()
        arguments = [
            "--peer",
            self.root / "peer",
            "--library",
            self.root / "ours",
            "--benchdnn",
            FAKE,
        ]
        arguments += ["--output", self.root / "out", "--repeats", "3", "--threads", "1", *more]
        with contextlib.redirect_stdout(self.out), contextlib.redirect_stderr(self.err):
            return session.main([str(argument) for argument in arguments])

    def lines_of_csv(self):
        with open(self.root / "out/comparison.csv", encoding="utf-8", newline="") as file:
            return {line["line"]: line for line in csv.DictReader(file)}

    def journal(self):
        return [line.split(" ")[:2] for line in (self.root / "journal").read_text().splitlines()]


class Comparing(WithFakeBenchdnn):
    def test_all_right_problems_are_compared(self):
        self.assertEqual(self.run_compare(), session.RIGHT, self.err.getvalue())
        lines = self.lines_of_csv()
        self.assertEqual(list(lines), [SMALL, LARGE, BYTES])
        self.assertEqual(lines[SMALL]["ours_runs_ms"], "1 1.1 0.9")
        self.assertEqual(lines[SMALL]["ratio"], "2.0000")
        self.assertEqual(
            (lines[SMALL]["ours_implementation"], lines[SMALL]["peer_implementation"]),
            ("jit:ours", "jit:peer"),
        )
        self.assertIn(
            "1 thread: geometric mean 2.00 (repeats 1.82-2.22), worst 2.00", self.out.getvalue()
        )

    def test_figures_and_a_picture_are_written(self):
        self.run_compare()
        drawn = figure_file.read(self.root / "out/figures.csv")
        self.assertEqual([point.value for point in drawn.points][0], 2.0)
        self.assertIn("compare.py", drawn.facts["command"])
        ElementTree.parse(self.root / "out/figures.svg")

    def test_both_sides_are_checked_first_and_measured_in_turns(self):
        self.run_compare()
        turns = [["ours", "P"], ["peer", "P"]] * 3
        self.assertEqual(self.journal(), [["ours", "L"], ["ours", "C"], ["peer", "C"]] + turns)

    def cpus_used(self, *more):
        self.run_compare(*more)
        return set(re.findall(r"cpus=(\S+)", (self.root / "journal").read_text()))

    def test_threads_are_pinned_to_as_many_cpus(self):
        self.assertEqual(self.cpus_used(), {str(min(os.sched_getaffinity(0)))})
        self.assertNotIn("were asked for", self.out.getvalue())

    def test_the_cpus_can_be_chosen(self):
        last = max(os.sched_getaffinity(0))
        self.assertEqual(self.cpus_used("--cpus", last), {str(last)})

    def test_a_wrong_result_of_the_peer_is_listed_and_not_compared(self):
        self.set_side("peer", [2.0], large="FAILED")
        self.assertEqual(self.run_compare(), session.WRONG)
        line = self.lines_of_csv()[LARGE]
        self.assertEqual((line["ratio"], line["not_compared"]), ("", "ours: PASSED, peer: FAILED"))
        self.assertIn(f"{LARGE}, 1 thread: ours: PASSED, peer: FAILED", self.out.getvalue())
        self.assertIn("2 problems", self.out.getvalue())
        self.assertIn(
            "ours: PASSED, peer: FAILED",
            (self.root / "out/comparison.html").read_text(encoding="utf-8"),
        )

    def test_so_is_one_of_ours(self):
        self.set_side("ours", [2.0], small="FAILED")
        self.assertEqual(self.run_compare(), session.WRONG)
        self.assertEqual(self.lines_of_csv()[SMALL]["not_compared"], "ours: FAILED, peer: PASSED")

    def test_what_the_peer_does_not_implement_is_shown_and_not_counted(self):
        self.set_side("peer", [2.0], bytes="UNIMPLEMENTED")
        self.assertEqual(self.run_compare(), session.RIGHT)
        self.assertEqual(self.lines_of_csv()[BYTES]["not_compared"], "peer: unimplemented")
        self.assertIn("worst 2.00 --flags=CH small, 2 problems", self.out.getvalue())

    def test_a_crash_costs_one_problem(self):
        self.set_side("peer", [2.0], large="CRASH")
        self.assertEqual(self.run_compare(), session.WRONG)
        lines = self.lines_of_csv()
        self.assertEqual(lines[LARGE]["not_compared"], "ours: PASSED, peer: CRASHED (SIGSEGV)")
        self.assertEqual((lines[SMALL]["ratio"], lines[BYTES]["ratio"]), ("2.0000", "2.0000"))

    def test_nothing_right_is_nothing_measured(self):
        self.set_side("peer", [2.0], small="FAILED", large="FAILED", bytes="CRASH")
        self.assertEqual(self.run_compare(), session.WRONG)
        self.assertNotIn(["ours", "P"], self.journal())
        self.assertIn("nothing was compared", self.out.getvalue())
        ElementTree.parse(self.root / "out/comparison.html")

    def test_a_difference_within_the_noise_is_marked(self):
        self.set_side("peer", [1.2, 0.9, 1.3])
        self.run_compare()
        self.assertEqual(self.lines_of_csv()[SMALL]["noise"], figures.WITHIN)
        self.assertRegex(self.out.getvalue(), r"small .* 0\.82-1\.44  within noise")
        page = (self.root / "out/comparison.html").read_text(encoding="utf-8")
        self.assertEqual(len(re.findall('<rect [^>]*class="noise"', page)), 3)

    def test_without_a_roof_there_is_a_note_and_no_column(self):
        self.run_compare()
        self.assertIn("has no --roof", self.out.getvalue())
        self.assertNotIn("/roof", self.out.getvalue().split("== 1 thread")[1])

    def test_the_page_is_well_formed_and_needs_nothing_else(self):
        self.run_compare()
        page = (self.root / "out/comparison.html").read_text(encoding="utf-8")
        ElementTree.fromstring(page)
        reader = PageReader()
        reader.feed(page)
        self.assertIn("svg", reader.names)
        self.assertIn("a&amp;b&lt;c&gt;", page)
        self.assertEqual(reader.references, [])
        self.assertFalse({"script", "link", "img", "iframe", "object"} & set(reader.names))
        self.assertIsNone(re.search(r"https?:|url\(|@import", page))
        self.assertIn("prefers-color-scheme: dark", page)

    def test_the_page_says_what_was_measured_where_and_how(self):
        self.run_compare()
        page = "".join(ElementTree.parse(self.root / "out/comparison.html").getroot().itertext())
        for expected in (
            "(commit ours)",
            "(commit peer)",
            "Caches of CPU",
            "governor",
            "--mode=P",
            "taskset -c",
            "Date",
        ):
            self.assertIn(expected, page)


class WithRoof(WithFakeBenchdnn):
    @staticmethod
    def directory_prefix():
        return "compare_test_roof_"

    def test_shares_of_the_roof_are_asked_for_and_drawn(self):
        self.assertEqual(self.run_compare(), session.RIGHT, self.err.getvalue())
        self.assertEqual(self.lines_of_csv()[SMALL]["ours_roof_share"], "0.8500")
        self.assertIn("ours/roof", self.out.getvalue())
        page = (self.root / "out/comparison.html").read_text(encoding="utf-8")
        self.assertIn("<h2>Share of the roof, 1 thread</h2>", page)
        self.assertEqual(page.count("<svg"), 2)


class Refusals(WithFakeBenchdnn):
    def assert_refused(self, reason, *more):
        self.assertEqual(self.run_compare(*more), session.REFUSED)
        self.assertIn(reason, self.err.getvalue())
        self.assertFalse((self.root / "out").exists())

    def test_the_same_library_on_both_sides(self):
        self.assert_refused("same library", "--peer", self.root / "ours")

    def test_a_copy_of_the_library(self):
        shutil.copy(self.root / "ours/libdnnl.so.3", self.root / "peer/libdnnl.so.3")
        self.assert_refused("same library")

    def test_a_loader_that_takes_another_file(self):
        with mock.patch.object(
            library, "loaded_file", lambda *_: str(self.root / "ours/libdnnl.so.3")
        ):
            self.assert_refused("benchdnn still loads")

    def test_directories_and_programs_that_are_not_there(self):
        self.assert_refused("no directory", "--peer", self.root / "nowhere")
        self.assert_refused("no program", "--benchdnn", self.root / "nothing")

    def test_more_threads_than_cpus(self):
        self.assert_refused("cannot be pinned", "--threads", "4096")

    def test_values_that_make_no_sense(self):
        self.assert_refused("--repeats", "--repeats", "0")
        self.assert_refused("--max-ms", "--max-ms", "1")
        self.assert_refused("--cpus", "--cpus", "100000")


class Words(unittest.TestCase):
    def words(self, *more):
        return command_line.read(["--peer", ".", "--benchdnn", sys.executable, *more]).words

    def test_batches_and_benchdnns_own_words_are_joined(self):
        self.assertEqual(self.words(), ["--batch=models"])
        self.assertEqual(
            self.words("--inputs", "ci", "--inputs", "all"), ["--batch=ci", "--batch=all"]
        )
        self.assertEqual(self.words("--", "--dir=BWD_DW", "4x16"), ["--dir=BWD_DW", "4x16"])


BENCHDNN, LIBRARY = os.environ.get("KILN_BENCHDNN"), os.environ.get("KILN_LIBRARY_DIR")


class RandomShapes(unittest.TestCase):
    def test_a_seed_draws_the_same_problems_again_and_another_seed_others(self):
        problems = random_problems.drawn(1, 40)
        self.assertEqual(problems, random_problems.drawn(1, 40))
        self.assertEqual(problems[:20], random_problems.drawn(1, 20))
        self.assertNotEqual(problems, random_problems.drawn(2, 40))

    def test_every_driver_direction_type_and_layout_is_drawn(self):
        words = {(driver, word) for driver, words in random_problems.drawn(1, 200) for word in words}
        for driver in random_problems.NORMALIZATIONS:
            for word in "--dir=FWD_D", "--dir=FWD_I", "--dir=BWD_DW", "--dt=f32", "--dt=bf16":
                self.assertIn((driver, word), words)
        for word in "--tag=ab", "--tag=acb", "--flags=CM", "--dir=BWD_D", "--dt=bf16:s8":
            self.assertIn(("lnorm", word), words)
        for tag in "abx", "axb", "aBx16b":
            self.assertIn(("bnorm", f"--tag={tag}"), words)

    def test_rows_of_every_number_of_axes_stay_below_the_limit(self):
        for seed in range(20):
            for driver, words in random_problems.drawn(seed, 100):
                self.assertTrue(all(word.startswith("--") for word in words[:-1]), words)
                if driver == "lnorm":
                    product = 1
                    for extent in words[-1].split("x"):
                        self.assertGreater(int(extent), 0)
                        product *= int(extent)
                    self.assertLessEqual(product, random_problems.MOST_ELEMENTS)

    def test_products_are_drawn_on_request_and_stay_below_the_limits(self):
        words = set()
        for seed in range(20):
            for driver, knobs in random_problems.drawn(seed, 50, ["matmul"]):
                self.assertEqual(driver, "matmul")
                words.update(knobs)
                src, weights = ([int(n) for n in dims.split("x")] for dims in knobs[-1].split(":"))
                self.assertEqual(src[-1], weights[-2])
                self.assertEqual(src[:-2], weights[:-2])
                products = math.prod(src) * weights[-1]
                self.assertLessEqual(products, random_problems.MOST_MULTIPLICATIONS)
                for dims in src, weights, src[:-1] + weights[-1:]:
                    self.assertGreater(min(dims), 0)
                    self.assertLessEqual(math.prod(dims), random_problems.MOST_ELEMENTS)
        self.assertTrue({"--dt=f32", "--dt=u8:s8:s32", "--wtag=any", "--wtag=ba"} <= words)
        code, _, seen = self.run_with([row([1.0], [2.0])], [], "--drivers", "matmul,gnorm")
        self.assertEqual(code, compare_random.FASTER)
        self.assertEqual([settings.driver for settings in seen], ["matmul", "gnorm"])
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(
                self.run_with([], [], "--drivers", "x")[0], compare_random.REFUSED
            )

    def test_images_are_drawn_on_request_in_every_layout(self):
        for driver, _ in random_elementwise.KINDS:
            drawn = random_problems.drawn(1, 200, [driver])
            words = {word for _, knobs in drawn for word in knobs}
            for tag in "abcd", "acdb", "aBcd16b", "aBcd8b":
                self.assertTrue(any(tag in word for word in words), (driver, tag))
            for _, knobs in drawn:
                self.assertTrue(all(word.startswith("--") for word in knobs[:-1]), knobs)
                for dims in knobs[-1].split(":"):
                    elements = math.prod(int(extent) for extent in dims.split("x"))
                    self.assertLessEqual(elements, random_elementwise.MOST_ELEMENTS)

    def test_a_problem_is_slow_if_it_is_in_every_run(self):
        always = row([1.0, 1.0, 1.0], [0.9, 0.96, 0.8])
        once = row([1.0, 1.0, 1.0], [0.9, 0.98, 0.8], LARGE)
        self.assertEqual(compare_random.slow_rows([always, once], 0.97), [always])

    def run_with(self, rows, excluded, *arguments):
        """The exit code, what is printed, and the settings of each driver's session."""
        seen, out = [], io.StringIO()

        class StandIn:
            def __init__(self, settings):
                seen.append(settings)

            def run(self):
                return mock.Mock(rows=rows, excluded=excluded)

        words = ["--peer", str(HERE), "--benchdnn", sys.executable, "--threads", "1"]
        with mock.patch.object(session, "Session", StandIn), contextlib.redirect_stdout(out):
            with mock.patch.object(session, "write_files"):
                code = compare_random.main(list(arguments) + words)
        return code, out.getvalue(), seen

    def test_each_driver_has_a_session_with_its_problems(self):
        code, text, seen = self.run_with([row([1.0], [2.0])], [], "--count", "8")
        self.assertEqual(code, compare_random.FASTER)
        self.assertEqual(
            [settings.driver for settings in seen], list(random_problems.NORMALIZATIONS)
        )
        self.assertEqual([settings.repeats for settings in seen], [3, 3, 3])
        shapes = [word for one in seen for word in one.words if not word.startswith("--")]
        self.assertEqual(len(shapes), 8)
        self.assertIn("0 below 0.97", text)

    def test_slow_problems_are_printed_with_their_runs(self):
        code, text, _ = self.run_with([row([1.0, 1.0], [0.5, 0.7])], [], "--count", "1")
        self.assertEqual(code, compare_random.SLOWER)
        self.assertIn("0.60 (0.50 0.70) 0.6 / 1 ms, 1 thread, jit:rows: " + SMALL, text)

    def test_what_is_wrong_is_printed_and_fails(self):
        wrong = figures.Excluded(figures.problem_of(SMALL), 1, "ours: FAILED", True)
        code, text, _ = self.run_with([row([1.0], [2.0])], [wrong], "--count", "1")
        self.assertEqual(code, compare_random.SLOWER)
        self.assertIn("ours: FAILED", text)

    def test_parts_share_the_problems(self):
        shapes = []
        for part in "1/3", "2/3", "3/3":
            for settings in self.run_with([], [], "--part", part, "--count", "10")[2]:
                shapes += [word for word in settings.words if not word.startswith("--")]
        self.assertEqual(len(shapes), 10)
        for wrong in "0/3", "4/3", "x", "1":
            with contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(
                    self.run_with([], [], "--part", wrong)[0], compare_random.REFUSED
                )


@unittest.skipUnless(
    BENCHDNN and LIBRARY, "needs KILN_BENCHDNN and KILN_LIBRARY_DIR (the shared library's)"
)
class WithRealBenchdnn(unittest.TestCase):
    """The peer is a copy of this library: the same file, or one with a byte behind its end."""

    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="compare_test_"))
        self.addCleanup(shutil.rmtree, self.root)
        self.peer = self.root / "libdnnl.so.3"
        shutil.copy(Path(LIBRARY) / "libdnnl.so.3", self.peer)

    def test_the_loader_takes_the_library_it_is_given(self):
        self.assertTrue(self.peer.samefile(library.loaded_file(BENCHDNN, self.root)))
        self.assertTrue(
            os.path.samefile(library.loaded_file(BENCHDNN, LIBRARY), Path(LIBRARY) / "libdnnl.so.3")
        )

    def test_a_copy_is_refused(self):
        with self.assertRaisesRegex(ComparisonRefused, "same library"):
            library.identify_both(BENCHDNN, LIBRARY, self.root)

    def test_two_libraries_are_compared(self):
        with open(self.peer, "ab") as file:
            file.write(b"\0")
        arguments = [
            "--peer",
            self.root,
            "--library",
            LIBRARY,
            "--benchdnn",
            BENCHDNN,
            "--output",
            self.root,
        ]
        arguments += [
            "--threads",
            "1",
            "--repeats",
            "2",
            "--max-ms",
            "10",
            "--",
            "--flags=CH",
            '4x16_n"small"',
            "8x512",
        ]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(session.main([str(argument) for argument in arguments]), session.RIGHT)
        self.assertIn("2 problems", out.getvalue())
        with open(self.root / "comparison.csv", encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual([line["line"] for line in lines], [SMALL, "--lnorm --flags=CH 8x512"])
        self.assertTrue(all(0.01 < float(line["ratio"]) < 100 for line in lines))


if __name__ == "__main__":
    unittest.main()
