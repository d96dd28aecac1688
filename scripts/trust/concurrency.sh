#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs tests/trust/concurrency_test.cpp and exit_test.cpp, first under ThreadSanitizer in two thirds of
# the minutes, then at full speed. ThreadSanitizer sees the library and the tests, not generated code. It
# does not see oneTBB either: neither its library nor the templates of its headers
# (tests/trust/thread_sanitizer.ignore); the order that oneTBB gives to tasks is told
# (src/cpu/runtime/task_order.hpp).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/setup.sh

minutes=${1:-10}
# shellcheck disable=SC2086 # a list of packages
kiln_install $kiln_packages clang
kiln_install "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
cmake --preset thread >/dev/null
cmake --build build-thread --target concurrency_tests exit_tests
kiln_build concurrency_tests
kiln_build exit_tests

tests=$(build/tests/concurrency_tests --gtest_list_tests | grep -c '^  ')
runs() { grep -E '^[0-9]+ runs$' "$1" | awk '{ sum += $1 } END { print sum }'; }

mkdir -p build/trust
# A long history, so that both stacks of a report are known and suppressions can tell them.
export TSAN_OPTIONS="suppressions=$PWD/tests/trust/thread_sanitizer.supp die_after_fork=0 exitcode=66"
TSAN_OPTIONS+=" history_size=7"
export KILN_SECONDS=$((minutes * 40 / tests))
build-thread/tests/concurrency_tests | tee build/trust/concurrency_thread_sanitizer.log
# Functions of a library that has been unloaded have no names to suppress; ThreadSanitizer maps memory.
build-thread/tests/exit_tests --gtest_filter=-unloading.*
export KILN_SECONDS=$((minutes * 20 / tests))
build/tests/concurrency_tests | tee build/trust/concurrency_plain.log
build/tests/exit_tests
echo "trust: concurrency: 16 threads, $tests tests: $(runs build/trust/concurrency_thread_sanitizer.log) runs" \
    "under ThreadSanitizer without a report, $(runs build/trust/concurrency_plain.log) without it; $(kiln_processor)"
