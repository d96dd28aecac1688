#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for benchdnn in tests of compare.py. The file `side.json` beside the library it is
given says what becomes of each problem: {"state": {line: state}, "ms": {line: [a time a run]}},
with state CRASH for one that kills the program."""

import json
import os
import signal
import sys
from pathlib import Path

PROBLEMS = [
    '--lnorm --flags=CH 4x16_n"small"',
    '--lnorm --flags=CH 64x512_n"a&b<c>"',
    "--lnorm --dt=u8 8x8",
]
DIRECTORY = Path(os.environ["LD_LIBRARY_PATH"].split(":")[0])


def knob(name, default=""):
    values = [word.split("=", 1)[1] for word in sys.argv[1:] if word.startswith(f"--{name}=")]
    return values[-1] if values else default


def say(line):
    print(line, flush=True)


def journal(text):
    cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    with open(DIRECTORY.parent / "journal", "a", encoding="utf-8") as file:
        file.write(f"{DIRECTORY.name} {text} cpus={cpus}\n")


def measured(index, line, times):
    fields = knob("perf-template")
    for name, value in (
        ("%idx%", index),
        ("%prb%", f"--mode=P {line}"),
        ("%-time%", times[0]),
        ("%0time%", times[0] * 1.5),
        ("%impl%", f"jit:{DIRECTORY.name}"),
        ("%roof%", "85.0"),
    ):
        fields = fields.replace(name, str(value))
    return fields


def run_problem(index, line, mode, side):
    state = side["state"].get(line, "PASSED")
    if mode == "L":
        return say(f"{index}:LISTED (0 ms) __REPRO: --mode=L {line}")
    if index < int(knob("start", "0")):
        return say(f"{index}:SKIPPED (Skip-start option hit) (0 ms) __REPRO: --mode={mode} {line}")
    if state == "CRASH":
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "C":
        return say(f"{index}:{state} (1 ms) __REPRO: {line}")
    return say(measured(index, line, side["ms"][line]))


def main():
    if "--help" in sys.argv:
        return say(
            "run knobs\n  --mode=C\n  --roof[=true or false]"
            if "roof" in DIRECTORY.parent.name
            else "  --mode=C"
        )
    mode = knob("mode")
    journal(mode)
    side = json.loads((DIRECTORY / "side.json").read_text(encoding="utf-8"))
    if mode == "C" and os.environ.get("ONEDNN_VERBOSE") == "1":
        say(f"onednn_verbose,v1,info,oneDNN v3.13.1 (commit {DIRECTORY.name})")
        say(f"onednn_verbose,v1,info,cpu,runtime:TBB,nthr:{len(os.sched_getaffinity(0))}")
    if mode == "P":
        say("Template entries: " + knob("perf-template"))
        say(knob("perf-template").replace("%", ""))
    for index, line in enumerate(PROBLEMS):
        run_problem(index, line, mode, side)
    if mode == "P":  # the next run has the next times
        side["ms"] = {line: times[1:] or times for line, times in side["ms"].items()}
        (DIRECTORY / "side.json").write_text(json.dumps(side), encoding="utf-8")
    return None


if __name__ == "__main__":
    main()
    sys.exit(0)
