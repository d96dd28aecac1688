#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether training with 1, 2 and 4 processes has the same loss in every epoch, to rounding.

same_curves.py MPIEXEC FLAG PROGRAM; FLAG is that of the number of processes."""

import os
import re
import subprocess
import sys

# Open MPI: more processes than cores, also by root.
SETTINGS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def losses(mpiexec, flag, program, count):
    run = subprocess.run([mpiexec, flag, str(count), program], env={**os.environ, **SETTINGS},
                         capture_output=True, text=True, timeout=120)
    print(run.stdout, run.stderr, sep="", flush=True)
    if run.returncode:
        sys.exit(f"with {count} processes the program failed: {run.returncode}")
    return [float(loss) for loss in re.findall(r"loss ([\d.]+)", run.stdout)]


def main():
    mpiexec, flag, program = sys.argv[1:]
    alone = losses(mpiexec, flag, program, 1)
    if len(alone) < 2 or not alone[-1] < alone[0] / 4:
        sys.exit(f"one process does not learn: {alone}")
    for count in (2, 4):
        curve = losses(mpiexec, flag, program, count)
        if len(curve) != len(alone) or any(
                abs(a - b) > 1e-3 * a + 1e-5 for a, b in zip(alone, curve)):
            sys.exit(f"{count} processes: {curve}; one process: {alone}")


main()
