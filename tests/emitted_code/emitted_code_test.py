#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the checks of emitted_code.py on kernels that break one rule each, and then checks kernels of
every driver of benchdnn at every ISA level (a few shapes; scripts/trust/emitted_code.sh checks all).

Set KILN_BENCHDNN to the program; without it only the checks are tested. Needs as, objcopy, objdump.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from check_folders import rank_of
from disassembly import CALLEE_SAVED
from emitted_code import LEVELS, check_files

PUSHES = "\n".join(f"push {register}" for register in CALLEE_SAVED)
POPS = "\n".join(f"pop {register}" for register in reversed(CALLEE_SAVED))
GOOD = f"""
    endbr64
    {PUSHES}
    sub rsp, 64
    mov rbx, [rdi]
    jmp constants
begin:
    mov r12, 4
again:
    vmovups ymm0, [rbx]
    vaddps ymm0, ymm0, ymm1
    vmovups [rsp + 32], ymm0
    vmovups [rbx], ymm0
    add rbx, 32
    dec r12
    jnz again
    lea rdx, [rsp + 31]
    and rdx, -32
    vmovups [rdx], ymm0
    add rsp, 64
    {POPS}
    vzeroupper
    ret
constants:
    vmovups ymm1, [rip + one]
    jmp begin
    .balign 64
one: .rept 8
    .float 1
    .endr
"""

# What replaces what in the good kernel, and a part of the fault that is found.
MUTATIONS = {
    "no_endbr64": ("endbr64", "nop", "no endbr64"),
    "no_vzeroupper": ("vzeroupper", "", "no vzeroupper"),
    "vzeroupper_before_the_last_use": ("vzeroupper", "vzeroupper\nvxorps ymm1, ymm1, ymm1",
                                       "no vzeroupper"),
    "wide_vectors_on_one_path": ("vzeroupper",
                                 "vzeroupper\njs over\nnop\nvxorps ymm1, ymm1, ymm1\nover:",
                                 "no vzeroupper"),
    "a_register_that_is_not_restored": ("pop r13", "add rsp, 8",
                                        "releases a saved register"),
    "registers_restored_in_another_order": ("pop r13\npop r12", "pop r12\npop r13",
                                            "not restored: r12 r13"),
    "a_register_changed_after_the_end": ("vzeroupper", "vzeroupper\nmov ebp, 1",
                                         "not restored: rbp"),
    "an_unsaved_register": ("push rbx", "push rax", "not restored: rbx"),
    "a_frame_not_released": ("add rsp, 64", "", "not restored"),
    "a_frame_released_on_one_path": ("add rsp, 64", "js over\nadd rsp, 64\nover:",
                                     "differs between the paths"),
    "a_frame_taken_in_a_loop": ("dec r12", "sub rsp, 8\ndec r12", "differs between the paths"),
    "rsp_from_a_register": ("add rsp, 64", "mov rsp, rbx", "unknown value"),
    "a_store_above_the_frame": ("[rsp + 32], ymm0", "[rsp + 48], ymm0", "saved register"),
    "a_store_to_the_return_address": ("[rsp + 32], ymm0", "[rsp + 96], ymm0", "outside"),
    "a_store_below_the_frame": ("[rsp + 32], ymm0", "[rsp - 160], ymm0", "outside"),
    "a_store_above_the_frame_by_a_register": ("[rdx], ymm0", "[rdx + 2], ymm0", "saved register"),
    "a_store_below_the_frame_by_a_register": ("and rdx, -32", "and rdx, -256", "outside"),
    "a_second_ret": ("vzeroupper", "js over\nvzeroupper\nret\nover: vzeroupper", "2 times ret"),
    "no_ret": ("ret", "jmp begin", "0 times ret"),
    "a_jump_to_constants": ("jmp begin", "jmp one", "constants"),
    "a_store_to_an_absolute_address": ("vmovups [rbx], ymm0", "mov [0x1000], eax", "absolute"),
    "a_store_to_constants": ("vmovups [rbx], ymm0", "vmovups [rip + one], ymm0", "relative to rip"),
    "a_store_to_thread_local_memory": ("vmovups [rbx], ymm0", "mov fs:[rbx], eax", "segment"),
    "a_load_beyond_the_constants": ("[rip + one]", "[rip + one + 4]", "constants"),
    "a_load_from_code": ("[rip + one]", "[rip + again]", "constants"),
    "an_indirect_jump": ("jnz again", "jmp rax", "indirect jump"),
    "a_jump_into_an_instruction": ("jnz again", "jnz again + 1", "no instruction"),
    "a_call_of_no_routine": ("dec r12", "call again", "1 times ret, should be once, and once"),
    "an_indirect_call": ("dec r12", "call rax\njs over\nret\nover:", "indirect jump"),
    "zmm": ("vmovups ymm0, [rbx]", "vmovups zmm0, [rbx]", "needs avx512_core"),
    "ymm16": ("vmovups ymm0, [rbx]", "vmovups ymm16, [rbx]", "needs avx512_core"),
    "a_mask_register": ("dec r12", "kmovw k1, eax", "needs avx512_core"),
    "BMI2": ("dec r12", "shlx rax, rax, rcx", "shlx"),
    "legacy_SSE": ("dec r12", "addps xmm0, xmm1", "addps"),
    "the_direction_flag": ("dec r12", "std", "std"),
}

# The same with a routine, and what breaks it.
WITH_ROUTINE = (GOOD.replace("dec r12", "call routine\ndec r12\ncall routine")
                .replace("constants:", "routine:\nsub rsp, 8\nvmovups [rbx], ymm1\nadd rsp, 8\nret\n"
                                       "constants:"))
ROUTINE_MUTATIONS = {
    "a_routine_that_keeps_stack": ("sub rsp, 8", "sub rsp, 16", "not restored"),
    "a_routine_that_returns_from_elsewhere": ("add rsp, 8\n", "add rsp, 16\n", "saved register"),
    "a_routine_that_changes_a_return_address": ("[rbx], ymm1", "[rsp], ymm1", "saved register"),
    "a_routine_that_runs_on": ("add rsp, 8\nret", "add rsp, 8\njmp again\nret", "differs"),
    "a_red_zone_beside_calls": ("[rsp + 32], ymm0", "[rsp - 64], ymm0", "outside"),
    "a_second_routine": ("call routine", "call again", "more than one routine"),
}


class Mutations(unittest.TestCase):
    def faults(self, source, name="dnnl_dump_cpu_kernel_f32_avx2.0.bin"):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "kernel.s").write_text(".intel_syntax noprefix\n" + source)
            subprocess.run(["as", "--64", "-o", folder / "kernel.o", folder / "kernel.s"], check=True)
            subprocess.run(["objcopy", "-O", "binary", "-j", ".text", folder / "kernel.o",
                            folder / name], check=True)
            return "\n".join(check_files([folder / name]).get(folder / name, []))

    def test_a_good_kernel_passes(self):
        self.assertEqual("", self.faults(GOOD))

    def test_a_good_kernel_with_a_routine_passes(self):
        self.assertEqual("", self.faults(WITH_ROUTINE))

    def test_each_mutation_is_found(self):
        for good, mutations in ((GOOD, MUTATIONS), (WITH_ROUTINE, ROUTINE_MUTATIONS)):
            for name, (old, new, expected) in mutations.items():
                with self.subTest(name):
                    self.assertIn(old, good)
                    self.assertIn(expected, self.faults(good.replace(old, new, 1)))

    def test_files_are_ranked_by_level(self):
        ranks = [rank_of(Path(f"dnnl_dump_cpu_some_kernel_{level}.1.bin")) for level in LEVELS]
        self.assertEqual(list(range(len(LEVELS))), ranks)
        self.assertEqual(-1, rank_of(Path("dnnl_dump_cpu_some_kernel.1.bin")))

    def test_a_level_has_its_instructions_and_those_that_it_includes(self):
        wide = GOOD.replace("vmovups ymm0, [rbx]", "vmovups zmm0, [rbx]")
        name = "dnnl_dump_cpu_kernel_f32_{}.0.bin"
        self.assertNotEqual("", self.faults(wide, name.format("avx2")))
        self.assertEqual("", self.faults(wide, name.format("avx512_core")))
        inserted = GOOD.replace("dec r12", "vpinsrb xmm17, xmm17, [rbx], 1\ndec r12")
        self.assertIn("needs avx512_core", self.faults(inserted, name.format("avx2")))
        self.assertEqual("", self.faults(inserted, name.format("avx512_core")))
        bf16 = GOOD.replace("dec r12", "vcvtneps2bf16 ymm1, zmm0\ndec r12")
        self.assertIn("needs avx512_core_bf16", self.faults(bf16, name.format("avx512_core")))
        self.assertEqual("", self.faults(bf16, name.format("avx512_core_bf16")))
        products = GOOD.replace("dec r12", "{vex} vpdpbusd ymm0, ymm1, ymm2\ndec r12")
        self.assertIn("needs avx2_vnni", self.faults(products, name.format("avx512_core_bf16")))
        self.assertEqual("", self.faults(products, name.format("avx2_vnni")))
        wide_products = GOOD.replace("dec r12", "vpdpbusd zmm0, zmm1, zmm2\ndec r12")
        self.assertIn("needs avx512_core_vnni",
                      self.faults(wide_products, name.format("avx512_core")))
        self.assertEqual("", self.faults(wide_products, name.format("avx512_core_vnni")))
        self.assertEqual("", self.faults(wide_products, name.format("avx512_core_bf16")))


# Drivers and a few problems of each: rows and columns, tails, conversions, gradients.
PROBLEMS = [
    "--lnorm --dir=FWD_D,BWD_DW --flags=CH,CM --dt=f32,bf16,f16 --tag=ab,ba 5x37 3x768 --dir=FWD_I"
    " --dt=f32:s8,u8 --attr-post-ops=add:f32:per_oc+tanh+gelu_erf 4x19",
    "--bnorm --dir=FWD_D,FWD_I,BWD_DW --flags=,CHR --dt=f32,bf16,s8 --tag=abx,axb mb2ic19ih7",
    "--gnorm --dir=FWD_D,BWD_DW --flags=CH --dt=f32,f16 --tag=abx,axb g4mb2ic24ih5",
    "--reduction --alg=sum,max,norm_lp_sum --p=2 --sdt=f32,bf16,s8 --ddt=f32,u8 33x71:33x1 33x71:1x71",
    "--reorder --sdt=f32,bf16,s8 --ddt=f32,f16,u8 --stag=abcd --dtag=abcd,acdb,aBcd16b 2x19x5x7",
    "--binary --sdt=f32:bf16,s8:u8 --ddt=f32,s8 --alg=mul,ge --stag=abx:axb,abx:abx 2x19x5x7:1x19x1x7",
    "--concat --sdt=bf16,s8 --ddt=f32,s8 --stag=abx,aBx16b:axb 2x19x5:2x15x5",
    "--eltwise --dir=FWD_D,BWD_D --dt=f32,bf16 --alg=gelu_erf,mish,pow --beta=0.5 2x19x5",
    "--graph --dt=f32,bf16 --case=op/layer_norm.json --case=fusion/multiply_add_softmax.json",
    "--ip --dir=FWD_B,BWD_D,BWD_WB --dt=f32,bf16 mb5ic70oc33",
    "--matmul --dt=f32,bf16,u8:s8:s32 --wtag=ab,ba,any --bia-dt=f32 5x70:70x33 1x70:70x33"
    " --attr-post-ops=add:f32:per_oc+tanh 5x70:70x33",
    "--matmul --dt=bf16,u8:s8:f32,s8:u8:s8 --wtag=ab,any 40x100:100x70 40x600:600x33",
    "--matmul --dt=bf16:u4:bf16,f32:s8:f32 --wtag=any --attr-fpmath=bf16:true"
    " --attr-scales=wei:per_ocic:f16:32x1 --attr-zero-points=wei:per_ocic:s8:32x1 40x96:96x34",
    "--prelu --dir=FWD_D,BWD_DW --sdt=bf16:f32 --stag=abx:any,axb:any 2x19x5:1x19x1",
    "--shuffle --dt=f32,s8 --tag=abx,axb,aBx16b --axis=1 --group=4 2x32x5",
    "--softmax --dir=FWD_D,BWD_D --sdt=f32,bf16 --ddt=f32,bf16 --alg=softmax,logsoftmax --axis=0,1 5x37",
    "--sum --sdt=f32:bf16:s8 --stag=abx:axb:abx 2x19x5",
]


@unittest.skipUnless("KILN_BENCHDNN" in os.environ, "KILN_BENCHDNN is not set")
class Kernels(unittest.TestCase):
    maxDiff = None

    def dumped(self, level, folder):
        environment = {**os.environ, "ONEDNN_JIT_DUMP": "1", "ONEDNN_MAX_CPU_ISA": level}
        for problems in PROBLEMS:
            subprocess.run([os.environ["KILN_BENCHDNN"], "--mode=I", *problems.split()],
                           cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        return sorted(Path(folder).glob("*.bin"))

    def test_of_every_driver_at_every_level_are_sound(self):
        for level in LEVELS:
            with self.subTest(level), tempfile.TemporaryDirectory() as folder:
                files = self.dumped(level, folder)
                if not files:
                    self.skipTest("this processor has no kernels")
                self.assertGreater(len(files), 50)
                self.assertEqual({}, check_files(files))


if __name__ == "__main__":
    unittest.main()
