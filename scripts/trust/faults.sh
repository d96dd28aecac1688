#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# faults.sh [MINUTES [POINTS]]: memory, mappings, protections and files fail at each call in turn, in new and
# in warm processes, in every configuration (tests/faults). Cases are run one after another, in a
# random order, until all are done or the time is over. All points take about an hour of a processor; with
# POINTS, at most so many of each kind are tried, evenly spread. A repetition with the same order:
# KILN_SEED=NUMBER.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/setup.sh
. scripts/setup.sh

minutes=${1:-10}
end=$((SECONDS + minutes * 60))
kiln_install $kiln_packages
kiln_build faults_tests >/dev/null

program=build/tests/faults_tests
seed=${KILN_SEED:-$(date +%s)}
tests=$("$program" --gtest_list_tests | awk '/^[^ ]/ {suite = $1; next} /^ / {print suite $1}' |
    shuf --random-source=<(yes "$seed"))
total=$(wc -w <<<"$tests")

output=$(mktemp)
trap 'rm -f "$output"' EXIT
done=0 failed=0 faults=0
for test in $tests; do
    left=$((end - SECONDS))
    [ "$left" -gt 0 ] || break
    # A test of one case ends when its points are done; what the time is too short for is not counted.
    status=0
    KILN_FAULTS=${2:-all} timeout "$left" "$program" --gtest_filter="$test" >"$output" 2>&1 || status=$?
    [ "$status" -eq 124 ] && break
    done=$((done + 1))
    faults=$((faults + $(sed -n 's/ faults were injected$//p' "$output")))
    if [ "$status" -ne 0 ]; then
        failed=$((failed + 1))
        cat "$output"
    fi
done
echo "trust: faults: $faults faults injected, $done of $total tests run, $failed failed (seed $seed)"
[ "$failed" -eq 0 ] && [ "$done" -gt 0 ]
