#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the targets of tests/fuzz with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer.
#
# Usage: scripts/trust/fuzz.sh MINUTES [TARGET...]
# The minutes are shared by the targets; by default all are run. KILN_FUZZ_JOBS: processes of a
# target at once; by default the number of processors. KILN_FUZZ_TIMEOUT: seconds that an input may
# take, 25 by default; it needs more where the machine stops processes. New inputs are kept in
# build-fuzz/corpus/TARGET. Exits with 1 after a crash, hang or leak; its input is in
# build-fuzz/findings.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/setup.sh

minutes=${1:?usage: scripts/trust/fuzz.sh MINUTES [TARGET...]}
shift
targets=("$@")
[ ${#targets[@]} -ne 0 ] || targets=(descriptors attributes operations graphs command_lines environment)
jobs=${KILN_FUZZ_JOBS:-$(nproc)}

# shellcheck disable=SC2086 # a list of packages
kiln_install $kiln_packages clang
kiln_install "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
mkdir -p build-fuzz/findings
log=build-fuzz/build_$(IFS=_; echo "${targets[*]}").log
if ! { cmake --preset fuzz && cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}"; } \
    >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi

seconds=$(awk "BEGIN { print int($minutes * 60 / ${#targets[@]}) }")
findings=0
executions=0
for target in "${targets[@]}"; do
    seeds=$PWD/tests/fuzz/$target/corpus
    corpus=$PWD/build-fuzz/corpus/$target
    log=$PWD/build-fuzz/$target.log
    mkdir -p "$corpus"
    dictionary=()
    [ -f "tests/fuzz/$target/words.dict" ] && dictionary=(-dict="$PWD/tests/fuzz/$target/words.dict")
    status=0
    # A process that meets a finding ends the target. The fork mode adds up the processes' figures; one
    # process needs none, and then loads the corpus once.
    fork=()
    [ "$jobs" -le 1 ] || fork=(-fork="$jobs")
    "$(find build-fuzz -name "fuzz_$target" -type f -perm -u+x)" "${fork[@]}" \
        -max_total_time="$seconds" -timeout="${KILN_FUZZ_TIMEOUT:-25}" -max_len=1024 -len_control=10 \
        -detect_leaks=1 -artifact_prefix="$PWD/build-fuzz/findings/$target-" "${dictionary[@]}" \
        "$corpus" "$seeds" >"$log" 2>&1 || status=$?
    figures=$(grep -E '^#[0-9]+.* cov: ' "$log" | tail -n 1)
    runs=$(sed -E 's/^#([0-9]+).*/\1/' <<<"${figures:-0}")
    edges=$(sed -nE 's/.* cov: ([0-9]+).*/\1/p' <<<"$figures")
    result="nothing found"
    if [ "$status" -ne 0 ]; then
        findings=$((findings + 1))
        result="FOUND, see $log"
        tail -n 40 "$log" >&2
    fi
    executions=$((executions + runs))
    echo "fuzz: $target: $runs executions, ${edges:-0} edges, $seconds s, $result"
done
echo "trust: fuzz: ${#targets[@]} targets, $executions executions, $findings with findings; $(kiln_processor)"
[ "$findings" -eq 0 ]
