#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs missing packages, builds, and shows every family of operations: first each result is checked
# against a reference in double, then each problem is timed and compared with the memory's bandwidth.
# May be run repeatedly.
#   scripts/run.sh [DRIVER...]    only these families, e.g. lnorm softmax
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh

kiln_install $kiln_packages
kiln_build benchdnn
benchdnn=build/benchdnn/benchdnn

drivers=("$@")
if [ ${#drivers[@]} -eq 0 ]; then
    for folder in benchdnn/inputs/*/; do drivers+=("$(basename "$folder")"); done
fi

echo "== Correctness: benchdnn --DRIVER --mode=C --batch=show"
wrong=()
number=0
for driver in "${drivers[@]}"; do
    number=$((number + 1))
    log=build/show_$driver.log
    printf '[%2d/%d] %-10s ' "$number" "${#drivers[@]}" "$driver"
    if "$benchdnn" --mode=C "--$driver" --batch=show >"$log" 2>&1; then
        sed -n 's/^tests:\([0-9]*\) passed:\([0-9]*\).*/\2 of \1 results are right/p' "$log"
    else
        echo "WRONG: $log"
        wrong+=("$driver")
    fi
done

echo
echo "== Speed: benchdnn --DRIVER --mode=P --roof --table --batch=show"
echo "Milliseconds, gigabytes a second, and the share of what copying the same memory takes; on"
echo "$(nproc) CPUs of $(kiln_processor)."
for driver in "${drivers[@]}"; do
    echo
    echo "-- $driver"
    "$benchdnn" --mode=P --max-ms-per-prb=50 --roof --table --progress=auto "--$driver" --batch=show |
        grep -v '^total\|^tests:' || true
done

cat <<'END'

What to look at:
- implementation: jit: is generated code, ref: the scalar reference; ONEDNN_VERBOSE=dispatch says why.
- roof %: near 100 where the data come from memory; more where a cache holds them; less where
  arithmetic binds (gelu, matrix products) or a tensor is read twice (normalizations of large tensors).
- the first program, and where to read on: README.md. Figures against oneDNN: doc/performance/README.md.
END
if [ ${#wrong[@]} -ne 0 ]; then
    echo "Some results are wrong: ${wrong[*]}" >&2
    exit 1
fi
