#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Outputs are bit-identical for 1 to 16 threads, from run to run, in every process and for every size of the
# cache; outputs without rounding that depends on the order of a sum, also at every ISA level. benchdnn
# compares runs and numbers of threads inside a process; processes are compared by the checksums that it
# prints.
#   scripts/trust/determinism.sh MINUTES          the batches of benchdnn/inputs, as far as the time allows
#   scripts/trust/determinism.sh short BENCHDNN [LIBRARIES]   a few problems of each driver, with this program
# LIBRARIES: folders, separated by colons, with libraries of other threading runtimes; without them, those
# that build/tests/runtimes has.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

minutes=${1:?minutes, or short}
benchdnn=${2:-build/benchdnn/benchdnn}
IFS=: read -r -a libraries <<<"${3:-}"
if [ "$minutes" != short ] && [ $# -lt 2 ]; then
    . scripts/setup.sh
    kiln_install $kiln_packages
    kiln_build benchdnn
fi
if [ "$minutes" != short ] && [ ${#libraries[@]} -eq 0 ]; then
    for library in build/tests/runtimes/*/libdnnl.so.3; do
        [ ! -e "$library" ] || libraries+=("$PWD/${library%/*}")
    done
fi

lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
failures=0

# run FILE SECONDS WORD...: writes the checksums of the problems that end in time to FILE.
run() {
    local file=$1 seconds=$2 code=0
    shift 2
    timeout "$seconds" "$benchdnn" --checksum "$@" >"$file.log" 2>&1 || code=$?
    grep '^checksum: ' "$file.log" | sed 's/^checksum: //' | sort -u >"$file" || true
    # 1: a problem failed, perhaps because it is not implemented. 124: the time is over.
    if grep -E ':FAILED|^\[ERROR\]' "$file.log" >&2 || [[ ! $code =~ ^(0|1|124)$ ]]; then
        echo "determinism: benchdnn $* ended with $code" >&2
        failures=$((failures + 1))
    fi
}

# compare FILE...: how many problems are in all files. Those with different checksums are printed.
compare() {
    awk -v files=$# '
        {
            at = index($0, " --")
            problem = substr($0, at + 1)
            sums = substr($0, 1, at - 1)
            if (!((FILENAME, problem) in seen)) count[problem]++
            seen[FILENAME, problem] = 1
            if (!(problem in first)) first[problem] = sums
            if (sums == first[problem]) next
            print problem ": " sums " and " first[problem] > "/dev/stderr"
            differs = 1
        }
        END {
            for (problem in count) common += count[problem] == files
            print common + 0
            exit differs
        }' "$@"
}

problems=0 exact=0
# same SECONDS WORD...: in a process with each number of threads, and in processes with another number and
# sizes of the cache that all or none of the larger problems exceed.
same() {
    local seconds=$1 common
    shift
    run "$lists/counts" "$seconds" --mode=B --threads="$counts" "$@"
    KILN_CACHE_SIZE=64K run "$lists/small" "$seconds" --mode=R --threads=5 "$@"
    KILN_CACHE_SIZE=64G run "$lists/large" "$seconds" --mode=R --threads=5 "$@"
    local files=("$lists/counts" "$lists/small" "$lists/large") library preload
    for library in "${libraries[@]}"; do
        files+=("$lists/runtime_${library##*/}")
        preload=
        [[ $library != */threadpool ]] || preload=$(find "${library%/*}" -name '*streams_with_a_pool.so')
        LD_LIBRARY_PATH=$library LD_PRELOAD=$preload run "${files[-1]}" "$seconds" --mode=R --threads=3 "$@"
    done
    common=$(compare "${files[@]}") || failures=$((failures + 1))
    problems=$((problems + common))
    if [ "$minutes" = short ] && [ "$common" -eq 0 ]; then
        echo "determinism: no problem ran of $*" >&2
        failures=$((failures + 1))
    fi
}

levels="sse41 avx2 avx512_core default"
# same_at_levels SECONDS OUTPUTS WORD...: the outputs whose names match at every ISA level.
same_at_levels() {
    local seconds=$1 outputs=$2 level common
    shift 2
    for level in $levels; do
        ONEDNN_MAX_CPU_ISA=$level run "$lists/$level" "$seconds" --mode=R "$@"
        awk -v outputs="^($outputs):" '{
            kept = ""
            for (i = 1; i <= NF && $i !~ /^--/; ++i) if ($i ~ outputs) kept = kept $i " "
            if (kept != "") print kept substr($0, index($0, "--"))
        }' "$lists/$level" >"$lists/$level.exact"
    done
    common=$(compare $(printf "$lists/%s.exact " $levels)) || failures=$((failures + 1))
    exact=$((exact + common))
}

# all_exact SECONDS REORDER REDUCTION BNORM: problems (a batch or dims) of operations without rounding that
# depends on an order: conversions, extremes, sums of integers, statistics of values with exact sums.
all_exact() {
    same_at_levels "$1" dst --reorder --sdt=f32,bf16,f16,s8,u8 --ddt=f32,bf16,f16,s8,u8 --stag=abx,axb $2
    same_at_levels "$1" dst --reduction --sdt=f32,bf16,s8 --alg=max,min $3
    same_at_levels "$1" dst --reduction --sdt=s8,u8 --ddt=f32,s32 --alg=sum $3
    same_at_levels "$1" 'mean|variance' --bnorm --tag=abx,axb,aBx16b --check-alg=alg_0 $4 --check-alg=alg_1 $4
}

if [ "$minutes" = short ]; then
    counts=1,2,3,16
    same 60 --lnorm --dir=FWD_D,BWD_DW --flags=,CH,CM --dt=f32,bf16 7x33 96x768 --tag=acb 8x49x40
    same 60 --bnorm --dir=FWD_D,BWD_DW --flags=,CHR --tag=abx,axb,aBx16b mb9ic40ih14 mb9ic264ih14
    same 60 --gnorm --dir=FWD_D,BWD_DW --flags=CH --tag=abx,axb g4mb5ic32ih9 g1mb19ic136ih5 g4mb9ic264ih14
    same 60 --reduction --alg=sum,mean,norm_lp_sum --p=2 64x300:1x300 64x300:64x1 33x7x65:1x7x1
    same 60 --reorder --sdt=f32,s8 --ddt=bf16,u8 --dtag=axb,aBx16b 4x33x14x14
    same 60 --sum --sdt=f32:bf16:s8 --stag=abx:axb:abx 4x33x30x30
    same 60 --concat --stag=abx,aBx16b:axb 9x33x14x14:9x15x14x14
    same 60 --eltwise --dir=FWD_D,BWD_D --dt=f32,bf16 --alg=gelu_erf,mish --tag=abx:axb 9x33x14x14
    same 60 --eltwise --dt=f32,bf16 --alg=relu --attr-dropout=0.5:12345:abx 9x33x14x14
    same 60 --binary --sdt=f32:bf16 --alg=mul,ge --stag=abx:axb 9x33x14x14:1x33x1x14
    same 60 --prelu --dir=FWD_D,BWD_DW --sdt=bf16:f32 --stag=abx:any,axb:any 9x33x40x40:1x33x1x1
    same 60 --softmax --dir=FWD_D,BWD_D --alg=softmax,logsoftmax --axis=0,1 96x768 1x40000
    same 60 --shuffle --dir=FWD_D,BWD_D --tag=abx,axb,aBx16b --axis=1 --group=4 9x32x14x14
    # Work on products is divided by the number of threads that a primitive is made for.
    counts=$(seq -s, 1 16)
    same 60 --matmul --dt=f32,bf16,u8:s8:s32 --wtag=ab,ba,any --bia-dt=f32 96x300:300x200 1x1000:1000x300 3x2000:2000x5 \
        4x4096:4096x56
    same 60 --matmul --dt=f32,u8:s8:f32 --stag=abc,acb --wtag=abc,acb --attr-post-ops=sum:0.5+relu 5x33x129:1x129x65 \
        3x1x700:3x700x40
    same 60 --matmul --dt=u8:s8:f32,s8:s8:bf16 --attr-scales=src:common:0.25+wei:per_oc --attr-zero-points=src:common:3 \
        40x256:256x96 1x256:256x320
    same 60 --matmul --dt=bf16:s8:bf16,bf16:u4:f32 --attr-fpmath=bf16:true --wtag=ab,any \
        --attr-scales=wei:per_ocic:f32:32x1 1x256:256x320 40x256:256x96
    same 60 --ip --dir=FWD_B,BWD_D,BWD_WB --dt=f32,bf16 mb33ic300oc65 mb4ic8ih7oc130
    counts=1,2,3,16
    same 60 --graph --case=fusion/add_layer_norm_training.json --case=fusion/batch_norm_training_relu.json
    all_exact 60 4x33x7x5 "33x7x65:33x7x1 33x7x65:1x7x65" mb9ic40ih14
else
    counts=$(seq -s, 1 16)
    drivers=$(basename -a benchdnn/inputs/*/)
    # Of a process: a driver runs in three and one of each library, and problems of exact arithmetic at each level.
    seconds=$((minutes * 60 / ((3 + ${#libraries[@]}) * $(wc -w <<<"$drivers") + 4)))
    [ "$seconds" -ge 1 ] || seconds=1
    for driver in $drivers; do
        batches=ci
        [ "$minutes" -lt 10 ] || [ ! -e "benchdnn/inputs/$driver/models" ] || batches="ci models"
        for batch in $batches; do
            same $((seconds / $(wc -w <<<"$batches"))) "--$driver" "--batch=$batch"
        done
    done
    all_exact $((seconds / 4)) "4x33x7x5 128x1000" "33x7x65:33x7x1 33x7x65:1x7x65 64x4096:64x1" "mb9ic40ih14 mb3ic64ih28"
fi

echo "trust: determinism: $problems problems with ${counts//,/, } threads, cache sizes in 3 processes" \
    "and ${#libraries[@]} other threading runtimes," \
    "$exact of exact arithmetic at 4 ISA levels, $failures differ"
[ "$failures" -eq 0 ] && [ "$problems" -gt 0 ] && [ "$exact" -gt 0 ]
