#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Disassembles every kernel that the batch files "ci" of benchdnn and the tests of kernels generate, at
# every ISA level that has kernels, and checks it (tests/emitted_code/emitted_code.py). benchdnn creates
# and does not execute. The tests of kernels also execute each variant between unmapped pages, with marked
# gaps from row to row.
# The time it takes does not depend on MINUTES.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/setup.sh

kiln_install $kiln_packages binutils python3
programs=$(sed -nE 's/^kiln_(unit_)?test\((\w+_kernel_tests).*/\2/p' tests/*/CMakeLists.txt tests/CMakeLists.txt)
for target in benchdnn $programs; do kiln_build "$target"; done

project=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export ONEDNN_JIT_DUMP=1

python3 tests/emitted_code/emitted_code_test.py
for level in avx2 avx512_core avx512_core_vnni avx512_core_bf16 avx512_core_amx; do
    export ONEDNN_MAX_CPU_ISA=$level
    for batch in benchdnn/inputs/*/ci; do
        driver=$(basename "$(dirname "$batch")")
        mkdir -p "$folder/$level/$driver"
        cd "$folder/$level/$driver"
        "$project/build/benchdnn/benchdnn" --mode=I "--$driver" --batch=ci >output || { tail -n 20 output; exit 1; }
        echo "$level $driver: $(find . -name '*.bin' | wc -l) kernels; $(tail -n 1 output)"
        cd "$project"
    done
done
unset ONEDNN_MAX_CPU_ISA
# A kernel is generated for the level that its test names.
for program in $programs; do
    mkdir -p "$folder/$program"
    cd "$folder/$program"
    "$project/build/tests/$program" --gtest_brief=1 | tail -n 1
    cd "$project"
done
echo "Checking after $SECONDS s"
if ! python3 tests/emitted_code/check_folders.py "$folder" >"$folder/checked"; then
    cat "$folder/checked"
    exit 1
fi
echo "trust: emitted_code: $(tail -n 1 "$folder/checked") in $SECONDS s; $(kiln_processor)"
