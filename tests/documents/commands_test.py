#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of the documents that not_run.txt does not list, in a scratch folder that looks
like the project. Problems of batch files are listed instead of run, since other tests run them; for
ctest the names that a pattern selects are listed.

Needs KILN_BENCHDNN (the program) and KILN_BUILD (the build folder).
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from documents import PROJECT, Command, blocks, commands_of, documents, indented_blocks

LANGUAGES = {"sh", "console", "cpp", "c", "cmake", "python", "json", "text"}
BENCHDNN = Path(os.environ.get("KILN_BENCHDNN", PROJECT / "build/benchdnn/benchdnn"))
BUILD = Path(os.environ.get("KILN_BUILD", PROJECT / "build"))
SECONDS = 60


def not_run():
    """[(reason, pattern)]."""
    lines = Path(__file__).with_name("not_run.txt").read_text().splitlines()
    return [tuple(line.split(": ", 1)) for line in lines if line and not line.startswith("#")]


def all_blocks():
    return [block for file in documents() for block in blocks(file)]


def all_commands():
    return [command for block in all_blocks() if block.language in ("sh", "console")
            for command in commands_of(block)]


def is_listed(text, entries):
    return any(re.match(pattern, text) for _, pattern in entries)


def is_program(block):
    return re.search(r"\bint main\(", block.text) is not None


def made_light(text):
    """What is run in place of the command."""
    if "--batch=" in text:
        text = re.sub(r"--mode=\w+", "", text)
        return re.sub(r"(\S*benchdnn) ", r"\1 --mode=L ", text, count=1)
    if text.startswith("ctest "):
        return f"ctest --test-dir {BUILD} -N {text[6:]} | grep -q 'Test *#'"
    return text


def listing_of(text):
    """Of a command that measures: benchdnn's command that lists its problems; None for others."""
    words = text.split()
    if words[0] == "scripts/compare.py":
        driver = words[words.index("--driver") + 1] if "--driver" in words else "lnorm"
        own = words[words.index("--") + 1:] if "--" in words else []
        inputs = [f"--batch={words[at + 1]}" for at, word in enumerate(words) if word == "--inputs"]
        return " ".join(["benchdnn", "--mode=L", f"--{driver}", *inputs, *own])
    if "benchdnn" in words:
        own = words[words.index("benchdnn") + 1:]
        return " ".join(["benchdnn", "--mode=L", *(word for word in own if "--mode=" not in word)])
    return None


def python_with_numpy():
    """The interpreter of this test, or the system's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if Path(python).exists() and not subprocess.call([python, "-c", "import numpy"],
                                                         stderr=subprocess.DEVNULL):
            return python
    return None


def missing_line(shown, printed):
    """The first line of a document that is not printed, or not where it is shown; None if there is none.
    Numbers may differ; "..." stands for any lines. Left out are the header of verbose mode and benchdnn's
    own lines, where the document does not show them."""
    def plain(line):
        return re.sub(r"\b[0-9a-f]{40}\b|\d+(\.\d+)?", "N", " ".join(line.split()))

    shown = [plain(line) for line in shown if line.strip()]
    printed = [line for line in map(plain, printed) if line in shown or not re.match(
        r"N:[A-Z]+ |tests:|total|onednn_verbose,vN,(primitive,)?info,|error: no implementation", line)]
    at, is_anywhere = 0, True
    for line in shown:
        if line == "...":
            is_anywhere = True
            continue
        places = range(at, len(printed)) if is_anywhere else range(at, min(at + 1, len(printed)))
        found = next((place for place in places if printed[place] == line), None)
        if found is None:
            return line
        at, is_anywhere = found + 1, False
    return None


def has_the_instructions_of_the_documents():
    facts = Path("/proc/cpuinfo")
    return facts.exists() and " avx512_bf16" in facts.read_text()


def run(command, folder):
    environment = dict(os.environ, PATH=f"{BENCHDNN.parent}:{os.environ['PATH']}", HOME=str(folder),
                       ONEDNN_MAX_CPU_ISA="AVX512_CORE_BF16")  # that of the documents
    line = "set -o pipefail; " + made_light(command.text)
    try:
        done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, timeout=SECONDS,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True, errors="replace")
    except subprocess.TimeoutExpired:
        return f"{command.file}:{command.line}: takes more than {SECONDS} s: {command.text}"
    if done.returncode == command.exit_code:
        line = missing_line(command.output, done.stdout.splitlines())
        return line and f"{command.file}:{command.line}: {command.text} does not print: {line}"
    told = "\n".join(done.stdout.splitlines()[-5:])
    return f"{command.file}:{command.line}: exit code {done.returncode}: {command.text}\n{told}"


def run_document(commands):
    """Runs the commands of a document in order: one may read what another has written. The folder is
    this document's alone."""
    with tempfile.TemporaryDirectory() as scratch:
        for entry in PROJECT.iterdir():
            if entry.name not in ("build", ".git"):
                (Path(scratch) / entry.name).symlink_to(entry)
        (Path(scratch) / "build").symlink_to(BUILD)
        return [run(command, scratch) for command in commands]


def run_documents(commands):
    """What went wrong; two documents at a time."""
    files = dict.fromkeys(command.file for command in commands)
    documents_of_commands = [[one for one in commands if one.file == file] for file in files]
    with ThreadPoolExecutor(max_workers=2) as pool:
        told = list(pool.map(run_document, documents_of_commands))
    return [one for of_file in told for one in of_file if one]


class CommandsTest(unittest.TestCase):
    maxDiff = None

    def test_every_command_runs_or_is_listed_with_a_reason(self):
        entries = not_run()
        commands = [one for one in all_commands() if not is_listed(one.text, entries)]
        if not has_the_instructions_of_the_documents():
            for command in commands:
                command.output = []
        self.assertGreater(len(commands), 40)
        self.assertEqual([], run_documents(commands))

    def test_documents_do_not_see_what_others_write(self):
        commands = [Command(name, line, text, 0) for name in ("one", "another")
                    for line, text in enumerate((f"echo {name} >log; sleep 0.5", f"grep -qx {name} log"))]
        self.assertEqual([], run_documents(commands))

    def test_problems_of_figures_can_be_listed(self):
        wrong, count = [], 0
        for file in sorted((PROJECT / "doc/performance/figures").glob("*.csv")):
            facts = file.read_text().splitlines()[:12]
            said = next(line for line in facts if line.startswith("# command: "))
            words = listing_of(said[len("# command: "):].split("; ")[0])
            if words:
                count += 1
                line = Command(str(file.relative_to(PROJECT)), 1, words)
                wrong += filter(None, [run(line, "/")])
        self.assertEqual([], wrong)
        self.assertGreater(count, 10)

    def test_test_programs_in_commands_exist(self):
        """Also in those that are not run. The programs of all folders are in build/tests."""
        declared = {name for file in (PROJECT / "tests").rglob("CMakeLists.txt")
                    for name in re.findall(r"^kiln_\w*test\(\s*(\w+)", file.read_text(), re.MULTILINE)}
        texts = {f"{one.file}:{one.line}": one.text for one in all_commands()}
        texts |= {file.name: file.read_text() for file in PROJECT.glob("doc/performance/figures/*.csv")}
        named = [(place, path) for place, text in texts.items()
                 for path in re.findall(r"\bbuild/tests/(\S+)", text)]
        self.assertGreater(len(named), 1)
        self.assertEqual([], [one for one in named if one[1].rstrip(";") not in declared])

    def test_every_snippet_of_python_runs(self):
        python = python_with_numpy()
        if python is None:
            self.skipTest("NumPy is not installed")
        library = BUILD / "src/libdnnl.so.3"
        if not library.exists() or b"__asan_init" in library.read_bytes():
            self.skipTest("the library is static, or Python cannot load it")
        environment = dict(os.environ, PYTHONPATH=str(PROJECT / "python"),
                           KILN_LIBRARY=str(library))
        wrong = []
        for block in all_blocks():
            if block.language == "python":
                done = subprocess.run([python, "-B", "-c", block.text], env=environment,
                                      timeout=SECONDS, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, universal_newlines=True)
                if done.returncode:
                    wrong.append(f"{block.file}:{block.line}: {done.stdout}")
        self.assertEqual([], wrong)

    def test_kernels_of_every_driver_lead_to_a_file(self):
        """By the table of the page on the architecture, whose names and files are in code spans."""
        page = (PROJECT / "doc/internals/architecture.md").read_text()
        begin = page.index("| name begins with |")
        table, folder = page[begin:page.index("\n\n", begin)], PROJECT / "src/cpu/x64"
        prefixes = []
        for row in table.splitlines()[2:]:
            names, files = (re.findall("`([^`]+)`", cell) for cell in row.split("|")[1:3])
            # What stands for a number or another name is in capitals, or three dots.
            prefixes += [re.split("[A-Z]|\\.\\.\\.", name)[0] for name in names]
            first = folder / Path(files[0])
            missing = [file for file in [first, *(first.parent / file for file in files[1:])]
                       if not file.exists()]
            self.assertEqual([], missing)
        drivers = sorted(path.parent.name for path in (PROJECT / "benchdnn/inputs").glob("*/show"))
        kernels = set()
        for driver in drivers:
            told = subprocess.run([BENCHDNN, "--explain", f"--{driver}", "--batch=show"],
                                  stdout=subprocess.PIPE, universal_newlines=True).stdout
            kernels |= set(re.findall(r"^  (\w+), \d+ bytes$", told, re.MULTILINE))
        self.assertGreater(len(kernels), 30)
        self.assertEqual([], sorted(name for name in kernels if not name.startswith(tuple(prefixes))))

    def test_a_command_that_fails_is_noticed(self):
        wrong = Command("a document", 1, "benchdnn --lnorm --no-such-knob 4x8")
        self.assertIn("exit code 2", run(wrong, "/"))

    def test_output_that_is_not_printed_is_noticed(self):
        shown = ["one 1", "...", "three"]
        self.assertIsNone(missing_line(shown, ["one 7.5", "two", "0:PASSED (1 ms)", "three"]))
        self.assertEqual("three", missing_line(shown, ["one 1", "two"]))
        self.assertEqual("three", missing_line(["one 1", "three"], ["one 1", "two", "three"]))

    def test_every_entry_of_the_list_is_needed(self):
        commands = [one.text for one in all_commands()]
        snippets = [f"{one.language} {one.file}" for one in all_blocks()]
        unused = [f"{reason}: {pattern}" for reason, pattern in not_run()
                  if not any(re.match(pattern, one) for one in commands + snippets)]
        self.assertEqual([], unused)

    def test_every_block_says_its_language(self):
        wrong = [f"{one.file}:{one.line}: '{one.language}'" for one in all_blocks()
                 if one.language not in LANGUAGES]
        for file in documents():
            wrong += [f"{file.relative_to(PROJECT)}:{number}: indented, not fenced"
                      for number in indented_blocks(file)]
        self.assertEqual([], wrong)

    def test_no_code_span_looks_like_an_item_of_a_list(self):
        """Where a line breaks inside of it: the site's Doxygen takes its second line as an item then."""
        wrong = []
        for file in documents():
            text = re.sub(r"^```.*?^```", lambda block: re.sub(".", " ", block[0]), file.read_text(),
                          flags=re.MULTILINE | re.DOTALL)
            for paragraph in re.split(r"\n\s*\n", text):
                wrong += [f"{file.relative_to(PROJECT)}: {span}" for span in re.findall(r"`([^`]*)`", paragraph)
                          if re.search(r"\n\s*([-*+]|\d+\.) ", span)]
        self.assertEqual([], wrong)

    def test_every_snippet_is_a_program_or_listed_with_a_reason(self):
        entries = not_run()
        wrong = [f"{one.file}:{one.line}" for one in all_blocks()
                 if one.language in ("cpp", "c", "cmake", "json")
                 and not (one.language in ("cpp", "c") and is_program(one))
                 and not is_listed(f"{one.language} {one.file}", entries)]
        self.assertEqual([], wrong)


if __name__ == "__main__":
    sys.exit(unittest.main())
