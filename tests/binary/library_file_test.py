#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the shared library's file (KILN_LIBRARY), and the checks themselves on small libraries that
break one rule each. Needs cc (or CC), objdump, readelf, nm."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import library_file

LIBRARY = os.environ["KILN_LIBRARY"]
PROJECT = Path(__file__).resolve().parents[2]
CC = os.environ.get("CC", "cc")
HARDENED = ["-O1", "-D_FORTIFY_SOURCE=2", "-fstack-protector-all", "-fcf-protection",
            "-Wl,-z,relro,-z,now"]
SOURCE = """
#include <stdio.h>
#include <string.h>
void kiln_function(const char *text, char *to) {
    char copy[64];
    strcpy(copy, text);
    strcpy(to, copy);
}
"""


class TheLibrary(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.lines = library_file.disassembly(LIBRARY)

    def test_has_no_instruction_beyond_the_baseline(self):
        self.assertEqual([], library_file.beyond_baseline(self.lines))

    def test_is_hardened(self):
        self.assertEqual([], library_file.missing_hardening(LIBRARY))

    def test_exported_functions_begin_with_endbr64(self):
        self.assertEqual([], library_file.functions_without_endbr64(LIBRARY, self.lines))

    def test_destroys_no_static_objects(self):
        # The library may be used by destructors that run after its own, and by threads that have no
        # memory.
        self.assertEqual([], library_file.registered_destructors(self.lines))

    def test_does_not_name_the_folder_of_its_sources(self):
        self.assertFalse(library_file.paths_inside(LIBRARY, PROJECT))


class TheChecks(unittest.TestCase):
    def built(self, options, source=SOURCE):
        folder = Path(self.folder.name)
        (folder / "small.c").write_text(source)
        library = folder / "small.so"
        subprocess.run([CC, "-shared", "-fPIC", *options, "-o", library, folder / "small.c"],
                       check=True)
        return library

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def test_a_hardened_library_passes(self):
        library = self.built(HARDENED)
        self.assertEqual([], library_file.missing_hardening(library))
        lines = library_file.disassembly(library)
        self.assertEqual([], library_file.functions_without_endbr64(library, lines))
        self.assertEqual([], library_file.beyond_baseline(lines))

    def test_each_lack_is_found(self):
        for option, lack in {
                "-fno-stack-protector": "the stack protector",
                "-U_FORTIFY_SOURCE": "_FORTIFY_SOURCE",
                "-Wl,-z,execstack": "a stack that is not executable",
                "-Wl,-z,norelro": "RELRO",
                "-Wl,-z,lazy": "BIND_NOW",
                "-Wl,-rpath,/tmp": "no RPATH and no RUNPATH",
        }.items():
            with self.subTest(option):
                self.assertEqual([lack], library_file.missing_hardening(
                    self.built([*HARDENED, option])))

    def test_a_function_without_endbr64_is_found(self):
        library = self.built([*HARDENED, "-fcf-protection=none"])
        self.assertIn("kiln_function", library_file.functions_without_endbr64(
            library, library_file.disassembly(library)))

    def beyond_baseline(self, source):
        return library_file.beyond_baseline(
            library_file.disassembly(self.built(HARDENED, source)))

    def test_each_extension_is_found(self):
        for instruction in ["haddps %xmm0, %xmm1", "pshufb %xmm0, %xmm1", "popcnt %eax, %ecx",
                            "pmovzxbd %xmm0, %xmm1", "shlx %eax, %ecx, %edx", "lzcnt %eax, %ecx",
                            "vaddps %ymm0, %ymm1, %ymm2", "vaddps %zmm0, %zmm1, %zmm2",
                            "kmovw %eax, %k1", "aesenc %xmm0, %xmm1", "lock cmpxchg16b (%rdi)",
                            "xgetbv"]:
            with self.subTest(instruction):
                source = f'void kiln_function(void) {{ __asm__("{instruction}"); }}'
                found = self.beyond_baseline(source)
                self.assertEqual(1, len(found), found)
                self.assertIn("kiln_function", found[0])

    def test_functions_beside_kernels_of_avx2_may_use_that_alone(self):
        for instruction, findings in {"vaddps %ymm0, %ymm1, %ymm2": 0, "vaddps %zmm0, %zmm1, %zmm2": 1,
                                      "vfmadd213ps %ymm0, %ymm1, %ymm2": 1, "kmovw %eax, %k1": 1,
                                      "vaddps %ymm16, %ymm1, %ymm2": 1}.items():
            with self.subTest(instruction):
                source = '__attribute__((section("kiln_avx2"))) ' \
                         f'void kiln_function(void) {{ __asm__("{instruction}"); }}'
                self.assertEqual(findings, len(self.beyond_baseline(source)))

    def test_a_static_or_thread_local_object_with_a_destructor_is_found(self):
        for storage in ("static", "thread_local"):
            with self.subTest(storage):
                source = f"""
                    struct object {{ ~object(); int number = 0; }};
                    object::~object() {{}}
                    extern "C" int kiln_function() {{ {storage} object one; return one.number; }}
                """
                found = library_file.registered_destructors(
                    library_file.disassembly(self.built([*HARDENED, "-x", "c++"], source)))
                self.assertEqual(["<kiln_function>"], found)

    def test_instructions_of_the_baseline_are_not(self):
        source = 'void kiln_function(void) { __asm__("verr %ax; verw %ax; rep bsf %eax, %ecx; pause");}'
        self.assertEqual([], self.beyond_baseline(source))


if __name__ == "__main__":
    unittest.main()
