#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/pre_commit.sh in a small repository: the script and .clang-format are the project's, the
checks that it calls and the build are programs that note that they were called."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SCRIPT = "scripts/pre_commit.sh"
CHECKS = ("tests/structure/structure_test.py", "tests/structure/c_entries_test.py",
          "tests/structure/specification_test.py", "tests/documents/links_test.py",
          "tests/documents/pictures_test.py")
DRIVERS = sorted(folder.name for folder in (PROJECT / "benchdnn/inputs").iterdir() if folder.is_dir())
#: A file of the project -> the drivers that check it.
DRIVERS_OF = {
    "src/cpu/x64/softmax/rows.cpp": ["softmax"],
    "src/common/operations/concat.cpp": ["concat"],
    "src/common/operations/normalization/layer_normalization.cpp": ["bnorm", "gnorm", "lnorm"],
    "src/cpu/x64/layer_normalization/rows.cpp": ["lnorm"],
    "src/cpu/x64/channels/channel_plan.cpp": ["bnorm", "gnorm"],
    "src/graph/fusion/rules.cpp": ["graph"],
    "src/cpu/lists/inner_product_list.cpp": ["ip"],
    "src/cpu/lists/matmul_list.cpp": ["ip", "matmul"],
    "benchdnn/ip/driver.cpp": ["ip"],
    "benchdnn/lnorm/driver.cpp": ["lnorm"],
    "src/cpu/parallel.hpp": DRIVERS,
    "src/cpu/x64/jit/math/eltwise.cpp": DRIVERS,
    "src/cpu/binary_scalar.cpp": DRIVERS,
    "src/common/operations/normalization_checks.cpp": DRIVERS,
    "benchdnn/common/main.cpp": DRIVERS,
    "benchdnn/inputs/lnorm/show": [],
    "doc/README.md": [],
    "tests/softmax/forward_test.cpp": [],
}
FORMATTED = "int one() { return 1; }\n"


def git(folder, *words):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=folder, check=True,
                   capture_output=True)


def write(path, text, is_program=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if is_program:
        path.chmod(0o755)


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class PreCommit(unittest.TestCase):
    def setUp(self):
        scratch = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, scratch)
        self.folder, self.calls, programs = scratch / "project", scratch / "calls", scratch / "bin"
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        self.environment.pop("KILN_BUILD", None)
        self.environment.pop("GIT_DIR", None)
        write(self.folder / SCRIPT, (PROJECT / SCRIPT).read_text(), True)
        write(self.folder / ".clang-format", (PROJECT / ".clang-format").read_text())
        write(self.folder / ".gitignore", "/build/\n")
        for check in CHECKS:
            write(self.folder / check, "")
        write(self.folder / "scripts/status_table.py", "#!/bin/sh\n", True)
        for path in PROJECT.glob("src/cpu/lists/*_list.cpp"):
            write(self.folder / "src/cpu/lists" / path.name, FORMATTED)
        for driver in DRIVERS:
            write(self.folder / "benchdnn/inputs" / driver / "show", "")
        for path in DRIVERS_OF:
            write(self.folder / path, FORMATTED)
        noting = f'#!/bin/sh\necho "$(basename "$0") $*" >>{self.calls}\n'
        write(programs / "cmake", noting, True)
        write(programs / "python3", '#!/bin/sh\nexec sh "$2"\n', True)  # the checks are shell scripts
        write(self.folder / "build/benchdnn/benchdnn", noting, True)
        git(self.folder, "init", "--quiet")
        git(self.folder, "add", ".")
        git(self.folder, "commit", "--quiet", "--message=all")

    def run_script(self, *words):
        self.calls.write_text("")
        return subprocess.run([self.folder / SCRIPT, *words], capture_output=True, text=True,
                              env=self.environment, cwd="/", check=False)

    def drivers_called(self):
        return [line.split()[2].strip("-") for line in self.calls.read_text().splitlines()
                if line.startswith("benchdnn ")]

    def test_of_no_change_checks_structure_and_documents(self):
        done = self.run_script()
        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        for check in CHECKS:
            self.assertIn(f"ok      {check[6:]}\n", done.stdout)
        self.assertIn("ok      README's table\n", done.stdout)
        self.assertEqual("", self.calls.read_text())

    def test_a_check_that_fails_is_named_with_its_output(self):
        write(self.folder / CHECKS[1], "echo what is wrong; exit 1\n")
        done = self.run_script()
        self.assertEqual(1, done.returncode)
        self.assertIn(f"FAILED  {CHECKS[1][6:]}\nwhat is wrong\n", done.stdout)
        self.assertIn("1 checks failed", done.stderr)

    def test_each_change_is_checked_by_the_drivers_of_its_operation(self):
        for path, drivers in DRIVERS_OF.items():
            with self.subTest(path):
                with open(self.folder / path, "a", encoding="utf-8") as file:
                    file.write(FORMATTED.replace("one", "two"))
                done = self.run_script()
                self.assertEqual(0, done.returncode, done.stdout)
                self.assertEqual(drivers, self.drivers_called())
                self.assertEqual(bool(drivers), "cmake --build build --target benchdnn\n"
                                 in self.calls.read_text())
                git(self.folder, "checkout", "--", ".")

    def test_the_files_of_the_table_are_those_of_the_project(self):
        wrong = [path for path in DRIVERS_OF if not (PROJECT / path).parent.is_dir()]
        self.assertEqual([], wrong)

    def test_a_driver_that_fails_is_named(self):
        write(self.folder / "build/benchdnn/benchdnn", "#!/bin/sh\necho wrong sums; exit 1\n", True)
        write(self.folder / "src/cpu/x64/softmax/new.cpp", FORMATTED)  # not tracked yet
        done = self.run_script()
        self.assertEqual(1, done.returncode)
        self.assertIn("FAILED  benchdnn --softmax --batch=show\nwrong sums\n", done.stdout)

    def test_without_a_build_results_are_left_out(self):
        shutil.rmtree(self.folder / "build")
        write(self.folder / "src/cpu/x64/softmax/rows.cpp", FORMATTED.replace("one", "two"))
        done = self.run_script()
        self.assertEqual(0, done.returncode)
        self.assertIn("left out: results", done.stdout)

    @unittest.skipUnless(shutil.which("clang-format-14") or shutil.which("clang-format"),
                         "clang-format is not installed")
    def test_the_format_of_what_changed_is_checked_and_mended(self):
        path = self.folder / "src/cpu/parallel.hpp"
        write(path, "int   one( ){return 1;}\n")
        done = self.run_script()
        self.assertEqual(1, done.returncode)
        self.assertIn("FAILED  format of 1 files", done.stdout)
        done = self.run_script("--fix")
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertEqual(FORMATTED, path.read_text())

    def test_installed_it_refuses_a_commit(self):
        self.assertEqual(0, self.run_script("--install").returncode)
        write(self.folder / CHECKS[0], "echo what is wrong; exit 1\n")
        git(self.folder, "add", ".")
        with self.assertRaises(subprocess.CalledProcessError) as caught:
            git(self.folder, "commit", "--message=wrong")
        self.assertIn(b"1 checks failed", caught.exception.stderr)
        write(self.folder / CHECKS[0], "# right\n")
        git(self.folder, "add", ".")
        git(self.folder, "commit", "--message=right")


if __name__ == "__main__":
    unittest.main()
