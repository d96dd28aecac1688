#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Creates, executes and destroys for so many minutes (30), on threads that begin and end, while the
# caches' capacities change. Memory, mappings and open descriptors must not grow after the first minute.
# Memory that oneTBB keeps for each ended thread is measured apart (tests/trust/threads_of_tbb.cpp).
# The record is build/trust/soak.csv, its plot build/trust/soak.svg.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/setup.sh

minutes=${1:-30}
kiln_install $kiln_packages python3
kiln_build soak
kiln_build threads_of_tbb
mkdir -p build/trust
build/tests/soak $((minutes * 60)) build/trust/soak.csv
python3 tests/trust/soak_figures.py build/trust/soak.csv build/trust/soak.svg >build/trust/soak.txt || {
    cat build/trust/soak.txt
    exit 1
}
read -r own program < <(build/tests/threads_of_tbb)
echo "oneTBB itself keeps $own KiB for 2,000 ended threads, $program KiB where they share an arena"
echo "trust: soak: $(tail -n 1 build/trust/soak.txt); $(kiln_processor)"
