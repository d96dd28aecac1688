#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random problems of every operation, each by every implementation at each ISA level, for so many
# minutes (1 by default). The numbers of the problems follow from the time, so that each run makes
# others. `scripts/trust/differential.sh 1 FIRST` repeats a run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/setup.sh

minutes=${1:-1}
first=${2:-$(date +%s)000000}
levels=default,avx512_core,avx2,sse41 # sse41: the reference alone
kiln_install $kiln_packages
kiln_build differential_tester
status=0
build/tests/differential_tester --isa=$levels --jobs="$(nproc)" --first="$first" \
    --seconds="$(awk "BEGIN { print $minutes * 60 / 4 }")" | tee build/differential.txt || status=$?
echo "trust: differential: $(tail -2 build/differential.txt | tac | paste -sd ';' | sed 's/;/; /'), first problem $first"
exit $status
