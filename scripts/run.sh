#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs missing packages, builds, and runs layer and RMS normalization on the shapes of real models: first
# every result is checked against a reference in double, then every problem is timed. May be run repeatedly.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh

kiln_install $kiln_packages
kiln_build benchdnn

# One line for each problem if the output is kept; on a terminal, one line that is overwritten.
progress=true
[ -t 2 ] && progress=auto

echo "== Correctness: benchdnn --lnorm --mode=C --batch=models"
build/benchdnn/benchdnn --lnorm --mode=C --progress=$progress --summary=impl --batch=models >build/correctness.log || {
    cat build/correctness.log
    echo "Some results are wrong (build/correctness.log)." >&2
    exit 1
}
tail -n 2 build/correctness.log

echo "== Performance: benchdnn --lnorm --mode=P --batch=models"
build/benchdnn/benchdnn --lnorm --mode=P --progress=$progress --table --max-ms-per-prb=500 --batch=models
