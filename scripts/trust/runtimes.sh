#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of operations and graphs with the libraries of the other threading runtimes: OpenMP, one
# thread, and pools of the program (tests/runtimes). A program that would begin after MINUTES is left out,
# and the last line says so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/setup.sh

minutes=${1:-20}
# shellcheck disable=SC2086 # a list of packages
kiln_install $kiln_packages binutils
kiln_build all
export OMP_NUM_THREADS=3 OMP_WAIT_POLICY=passive

# Linked with the library, which another takes the place of. Left out: those of the interface, of one
# runtime, of processes (they load libraries, fork or send messages), and of what stands on operations.
programs=()
for program in build/tests/*_tests; do
    case ${program##*/} in interface_tests | wrapper* | graph_wrapper* | graph_interface* | not_implemented* | settings* | verbose* | isa_tests | \
        openmp* | threadpool* | concurrency* | exit* | faults* | ranks* | benchdnn* | primitive_cache* | graph_environment*) continue ;;
    esac
    ! readelf --dynamic "$program" | grep 'NEEDED.*libdnnl' >/dev/null || programs+=("$program")
done
runs=0 failed=0 skipped=0
for program in "${programs[@]}"; do
    for runtime in omp seq threadpool; do
        folder=$PWD/build/tests/runtimes/$runtime
        [ -e "$folder/libdnnl.so.3" ] || continue
        if [ $SECONDS -ge $((60 * minutes)) ]; then
            skipped=$((skipped + 1))
            continue
        fi
        preload=
        [ $runtime != threadpool ] || preload=$(find build/tests/runtimes -name '*streams_with_a_pool.so')
        runs=$((runs + 1))
        LD_LIBRARY_PATH=$folder LD_PRELOAD=$preload "$program" --gtest_brief=1 || {
            echo "$program fails with $runtime"
            failed=$((failed + 1))
        }
    done
done
echo "trust: runtimes: $runs runs of ${#programs[@]} programs with three runtimes, $failed failed," \
    "$skipped not run for lack of time; $(kiln_processor)"
[ "$failed" -eq 0 ] && [ "$runs" -gt 0 ]
