#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# faults.sh [MINUTES [POINTS]]: memory, mappings, protections and files fail at each call in turn, in new and
# in warm processes, in every configuration (tests/faults). Cases are run in a random order, as many at
# once as there are processors (KILN_FAULTS_JOBS), until all are done or the time is over. With POINTS, at
# most so many of each kind are tried, evenly spread. A repetition with the same order: KILN_SEED=NUMBER.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/setup.sh
. scripts/setup.sh

minutes=${1:-10}
end=$(($(date +%s) + minutes * 60))
kiln_install $kiln_packages
kiln_build faults_tests >/dev/null

program=build/tests/faults_tests
seed=${KILN_SEED:-$(date +%s)}
tests=$("$program" --gtest_list_tests | awk '/^[^ ]/ {suite = $1; next} /^ / {print suite $1}' |
    shuf --random-source=<(yes "$seed"))
total=$(wc -w <<<"$tests")

outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT
# run TEST: a test of one case ends when its points are done; what the time is too short for is not counted.
run() {
    local left=$((end - $(date +%s))) output=$outputs/${1//\//.} status=0
    [ "$left" -gt 0 ] || return 0
    timeout "$left" "$program" --gtest_filter="$1" >"$output" 2>&1 || status=$?
    case $status in
    0) mv "$output" "$output.passed" ;;
    124) ;;
    *) mv "$output" "$output.failed" ;;
    esac
}
export -f run
export program outputs end KILN_FAULTS=${2:-all} TEST_TMPDIR=$outputs
xargs -n 1 -P "${KILN_FAULTS_JOBS:-$(nproc)}" bash -c 'run "$1"' run <<<"$tests"

shopt -s nullglob
passed=("$outputs"/*.passed) failed=("$outputs"/*.failed)
[ ${#failed[@]} -eq 0 ] || cat "${failed[@]}"
faults=0
for output in "${passed[@]}" "${failed[@]}"; do
    faults=$((faults + $(sed -n 's/ faults were injected$//p' "$output")))
done
done=$((${#passed[@]} + ${#failed[@]}))
echo "trust: faults: $faults faults injected, $done of $total tests run, ${#failed[@]} failed (seed $seed); $(kiln_processor)"
[ ${#failed[@]} -eq 0 ] && [ "$done" -gt 0 ]
