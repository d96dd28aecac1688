#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks a few problems of every driver of benchdnn, and test programs, at every value of
# ONEDNN_MAX_CPU_ISA, and on older processors that qemu-x86_64 emulates: Opteron_G1 (x86-64's baseline
# and SSE3), Nehalem (SSE4.2), SandyBridge (AVX), Haswell (AVX2, FMA). An instruction that a processor
# lacks ends the program. Levels above the machine's own use the machine's.
# The time it takes does not depend on MINUTES.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/setup.sh

kiln_install $kiln_packages qemu-user python3
for target in benchdnn c_program_test wrapper_tests; do kiln_build $target; done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

problems=0
# check NAME COMMAND...: every driver's problems by COMMAND benchdnn; $rows x $columns have tails or not.
check() {
    local name=$1
    shift
    local images="mb2ic${channels}ih${width}" tensors="2x${channels}x4x${width}" lines
    lines=(
        "--lnorm --dir=FWD_D,BWD_DW --flags=,CH,CM --dt=f32,bf16,f16 --tag=ab,ba ${rows}x${columns}"
        "--lnorm --dir=FWD_I --flags= --dt=bf16,f16,s8:u8 5x40 5x3 1x19 --dt=f32:s8 ${rows}x${columns}"
        "--lnorm --dir=FWD_I --flags=C --attr-post-ops=tanh+add:f32:per_oc+gelu_erf ${rows}x${columns}"
        "--bnorm --dir=FWD_D,FWD_I,BWD_DW --flags=,CHR --dt=f32,bf16 --tag=abx,axb $images"
        "--gnorm --dir=FWD_D,BWD_DW --flags=CH --dt=f32,f16 --tag=abx,axb g4$images"
        "--reduction --alg=sum,max,norm_lp_sum --p=2 --sdt=f32,bf16,s8 --ddt=f32 ${rows}x${columns}:${rows}x1 ${rows}x${columns}:1x${columns}"
        "--graph --in-shapes=0:${rows}x${columns}+1:${columns}+2:${columns} --dt=f32,bf16 --case=op/layer_norm.json"
        "--reorder --sdt=f32,bf16,s8 --ddt=f32,f16,u8 --stag=abcd --dtag=abcd,acdb,aBcd16b $tensors"
        "--eltwise --dir=FWD_D,BWD_D --dt=f32,bf16 --alg=relu,gelu_erf,exp,mish --tag=abx,axb $tensors"
        "--eltwise --dir=FWD_I --dt=f32,s8 --alg=linear --alpha=0.5 --attr-dropout=0.5:12345:abx $tensors"
        "--binary --sdt=f32:bf16,s8:f32 --alg=mul,ge --stag=abx:axb $tensors:1x${channels}x1x1"
        "--prelu --dir=FWD_D,BWD_DW --sdt=f32:f32,bf16:f32 --stag=abx:any,axb:any $tensors:1x${channels}x1x1"
        "--softmax --dir=FWD_D,BWD_D --sdt=f32,bf16 --alg=softmax,logsoftmax --axis=0,1 ${rows}x${columns}"
        "--sum --sdt=f32:bf16:s8 --stag=abx:axb:abx $tensors"
        "--concat --sdt=f32,s8 --stag=abx:axb,aBx16b:abx --axis=1 $tensors:$tensors"
        "--shuffle --dir=FWD_D,BWD_D --dt=f32,bf16 --tag=abx,axb --axis=1 --group=4 $tensors"
        "--matmul --dt=f32,bf16,u8:s8:s32 --wtag=ab,ba,any ${rows}x${columns}:${columns}x32 1x${columns}:${columns}x32"
        "--matmul --dt=f32:u4:f32 --attr-fpmath=strict:true --attr-scales=wei:per_oc ${rows}x64:64x32"
        "--ip --dir=FWD_B,BWD_D,BWD_WB --dt=f32,bf16 mb5ic${channels}ih3oc24"
    )
    local line
    for line in "${lines[@]}"; do
        if ! "$@" build/benchdnn/benchdnn --mode=C $line >"$folder/output" 2>&1; then
            tail -n 20 "$folder/output"
            echo "$name fails: benchdnn --mode=C $line"
            return 1
        fi
        problems=$((problems + $(sed -n 's/^tests:\([0-9]*\).*/\1/p' "$folder/output" | tail -n 1)))
    done
}

rows=13 columns=77 channels=20 width=9
levels="sse41 avx avx2 avx2_vnni avx2_vnni_2 avx512_core avx512_core_vnni avx512_core_bf16 avx10_1_512
    avx10_1_512_amx avx10_1_512_amx_fp16 avx10_2 avx10_2_amx_2 default"
for level in $levels; do
    export ONEDNN_MAX_CPU_ISA=$level
    check "ONEDNN_MAX_CPU_ISA=$level" env
    build/tests/c_program_test >"$folder/output" || { cat "$folder/output"; exit 1; }
done
unset ONEDNN_MAX_CPU_ISA

cc -O1 -mavx2 -o "$folder/masked_load" tests/trust/masked_load.c
note="tails too"
for processor in Opteron_G1 Nehalem SandyBridge Haswell; do
    emulator=(qemu-x86_64 -cpu $processor)
    rows=13 columns=77 channels=20 width=9
    if [ $processor = Haswell ] && ! "${emulator[@]}" "$folder/masked_load" 2>/dev/null; then
        # benchdnn's buffers end at unmapped pages, where this emulator's masked loads fail.
        rows=16 columns=72 channels=32 width=8
        note="Haswell without tails of f32: this emulator reads masked lanes"
    fi
    check $processor "${emulator[@]}"
    for program in c_program_test wrapper_tests; do
        "${emulator[@]}" build/tests/$program >"$folder/output" 2>&1 || {
            tail -n 30 "$folder/output"
            echo "$processor: $program"
            exit 1
        }
    done
done
echo "trust: processors: $(wc -w <<<"$levels") values of ONEDNN_MAX_CPU_ISA, 4 emulated processors," \
    "$problems problems right ($note); $(kiln_processor)"
