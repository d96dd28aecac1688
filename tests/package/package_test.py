#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the library as other projects do: installed (find_package, pkg-config, plain flags) and as a
part of their build (add_subdirectory, FetchContent).

Environment: KILN_BUILD, a folder in which the library is built; KILN_OBJECTS, a file that lists its
objects; CXX. Needs cmake, ninja or make, and
pkg-config for its test.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ["KILN_BUILD"])
CXX = os.environ.get("CXX", "c++")
PROGRAM = PROJECT / "tests/api/header_compile/cpp_program.cpp"


def run(*command, **settings):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            env={**os.environ, **settings})
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout


class TheInstalledLibrary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        run("cmake", "--install", BUILD, "--prefix", cls.scratch / "first")
        # A tree that was moved: no file may say where it was installed.
        cls.prefix = (cls.scratch / "first").rename(cls.scratch / "second")
        cls.library = next(cls.prefix.glob("lib*/**/libdnnl.so"), None) or next(
            cls.prefix.glob("lib*/**/libdnnl.a"))
        cls.libdir = cls.library.parent

    def run_program(self, program):
        run(program, LD_LIBRARY_PATH=str(self.libdir))

    def test_is_found_by_cmake(self):
        folder = self.scratch / "find_package"
        run("cmake", "-S", HERE / "find_package", "-B", folder, f"-DCMAKE_CXX_COMPILER={CXX}",
            f"-DPROGRAM={PROGRAM}", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", folder)
        self.run_program(folder / "program")

    @unittest.skipUnless(shutil.which("mpiexec"), "there is no MPI")
    def test_has_a_component_for_mpi(self):
        for with_c in ("ON", "OFF"):
            folder = self.scratch / f"component_{with_c}"
            run("cmake", "-S", HERE / "find_package", "-B", folder, f"-DCMAKE_CXX_COMPILER={CXX}",
                f"-DPROGRAM={PROGRAM}", f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DWITH_C={with_c}",
                f"-DMPI_PROGRAM={PROJECT}/tests/ranks/c_program.c")
            run("cmake", "--build", folder, "--target", "mpi_program")
            run("mpiexec", "-n", "2", folder / "mpi_program", LD_LIBRARY_PATH=str(self.libdir),
                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1",
                OMPI_MCA_btl_vader_single_copy_mechanism="none")

    @unittest.skipUnless(shutil.which("pkg-config"), "there is no pkg-config")
    def test_is_found_by_pkg_config(self):
        flags = run("pkg-config", "--cflags", "--libs", "dnnl",
                    PKG_CONFIG_PATH=str(self.libdir / "pkgconfig")).split()
        run(CXX, "-std=c++11", "-o", self.scratch / "by_pkg_config", PROGRAM, *flags)
        self.run_program(self.scratch / "by_pkg_config")

    @unittest.skipUnless((BUILD / "src/libdnnl.so").exists(), "the library is static")
    def test_is_found_by_plain_flags(self):
        run(CXX, "-std=c++11", "-o", self.scratch / "by_flags", PROGRAM,
            f"-I{self.prefix}/include", f"-L{self.libdir}", "-ldnnl")
        self.run_program(self.scratch / "by_flags")

    def test_brings_its_licences(self):
        folder = self.prefix / "share/doc/dnnl"
        self.assertIn("Apache License", (folder / "LICENSE").read_text())
        notices = (folder / "NOTICES").read_text()
        for text in ("MITSUNARI", "Niels Lohmann", "Redistribution and use", "Permission is hereby"):
            self.assertIn(text, notices)

    @unittest.skipUnless((BUILD / "benchdnn/benchdnn").exists(), "benchdnn is not built")
    def test_brings_benchdnn_with_its_files(self):
        log = run(self.prefix / "bin/benchdnn", "--sum", "--mode=L", "--batch=ci")
        self.assertRegex(log, r"tests:[1-9]")


class TheSources(unittest.TestCase):
    """The library takes minutes to build: one object of the project shows that the headers are found,
    the link line that the library is linked."""

    def build_in_a_project(self, by):
        with tempfile.TemporaryDirectory() as scratch:
            run("cmake", "-S", HERE / "subdirectory", "-B", scratch, "-GUnix Makefiles",
                f"-DCMAKE_CXX_COMPILER={CXX}", f"-DKILN={PROJECT}", f"-DPROGRAM={PROGRAM}", f"-DBY={by}")
            run("make", "-C", scratch, "-f", "CMakeFiles/program.dir/build.make",
                f"CMakeFiles/program.dir{PROGRAM}.o")
            link = Path(scratch, "CMakeFiles/program.dir/link.txt").read_text()
            self.assertRegex(link, r"libdnnl\.(so|a)")

    def test_are_not_configured_for_two_runtimes(self):
        with tempfile.TemporaryDirectory() as scratch:
            configure = ["cmake", "-S", PROJECT, "-B", scratch, f"-DCMAKE_CXX_COMPILER={CXX}",
                         *(f"-DKILN_{what}=OFF" for what in ("BUILD_TESTS", "BUILD_BENCHDNN", "BUILD_EXAMPLES"))]
            run(*configure, "-DDNNL_CPU_RUNTIME=SEQ")
            self.assertIn("ONEDNN_CPU_RUNTIME:STRING=SEQ", Path(scratch, "CMakeCache.txt").read_text())
            with self.assertRaisesRegex(AssertionError, "DNNL_CPU_RUNTIME is THREADPOOL"):
                run(*configure, "-DDNNL_CPU_RUNTIME=THREADPOOL")
            run(*configure, "-DDNNL_CPU_RUNTIME=THREADPOOL", "-DONEDNN_CPU_RUNTIME=THREADPOOL")

    def test_are_a_subdirectory_of_a_project(self):
        self.build_in_a_project("add_subdirectory")

    def test_are_fetched_by_a_project(self):
        self.build_in_a_project("FetchContent")


def another_library():
    """A libdnnl of oneDNN: KILN_OTHER_LIBRARY, or Debian's libdnnl2."""
    if "KILN_OTHER_LIBRARY" in os.environ:
        return os.environ["KILN_OTHER_LIBRARY"]
    lines = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    return next((word for word in lines.split() if word.endswith("/libdnnl.so.2")), None)


def renamed_symbols():
    """Names of the interface -> names in a library with KILN_SONAME."""
    text = (PROJECT / "include/kiln/renamed_symbols.h").read_text()
    return dict(re.findall(r"^#define (dnnl\w*) (\w+)$", text, re.MULTILINE))


def objects():
    """Those of the library."""
    return [name for name in Path(os.environ["KILN_OBJECTS"]).read_text().split()
            if name.endswith(".o")]  # precompiled headers are listed, too


class ALibraryOfAnotherName(unittest.TestCase):
    """KILN_SONAME renames functions by the preprocessor. Here the objects of the ordinary library get
    the same names, which takes seconds instead of minutes."""

    def test_renames_each_symbol_that_another_implementation_may_define(self):
        """Also in a static library, where those of structures and of their containers count, too."""
        names = renamed_symbols()
        lines = run("nm", "--defined-only", "--extern-only", "--demangle", *objects()).split("\n")
        symbols = {line[19:] for line in lines if re.match("[0-9a-f]{16} [A-Z] ", line)}
        self.assertGreater(len(symbols), 1000)
        # Containers of enumerations and plain structures of the interface are alike in both.
        same = re.compile(r"^(\w+ )?(std|__gnu_cxx)::[^(]*\bdnnl_\w+_t\b")
        left = sorted(symbol for symbol in symbols
                      if re.search(r"\bdnnl", symbol) and not re.search(r"\bkiln", symbol)
                      and not names.keys() & set(re.findall(r"\bdnnl\w*", symbol))
                      and not same.match(symbol))
        self.assertEqual([], left)

    def test_renames_each_function(self):
        names = renamed_symbols()
        exported = (PROJECT / "tests/api/exported_functions.txt").read_text().split("\n")
        self.assertEqual([], [n for n in exported if n.startswith("dnnl_") and n not in names])
        self.assertEqual([], [n for n, renamed in names.items() if renamed != "kiln_" + n])

    def test_can_be_a_part_of_a_project_that_has_onednn_too(self):
        with tempfile.TemporaryDirectory() as folder:
            scratch = Path(folder)
            made = f"CMakeFiles/program.dir{PROGRAM}.o"
            run("cmake", "-S", HERE / "subdirectory", "-B", scratch, "-GUnix Makefiles",
                f"-DCMAKE_CXX_COMPILER={CXX}", f"-DKILN={PROJECT}", f"-DPROGRAM={PROGRAM}",
                "-DBY=add_subdirectory", "-DKILN_SONAME=another")
            run("make", "-C", scratch, "-f", "CMakeFiles/program.dir/build.make", made)
            called = run("nm", "--undefined-only", scratch / made).split()
            self.assertIn("kiln_dnnl_engine_create", called)
            self.assertEqual([], [name for name in called if name.startswith("dnnl_")])
            self.assertIn("libanother.so", (scratch / "CMakeFiles/program.dir/link.txt").read_text())

    @unittest.skipUnless(another_library(), "there is no other libdnnl")
    def test_lives_beside_an_implementation_of_the_same_interface(self):
        with tempfile.TemporaryDirectory() as folder:
            scratch = Path(folder)
            table = scratch / "table"
            table.write_text("".join(f"{a} {b}\n" for a, b in renamed_symbols().items()))
            run("ld", "-r", "-o", scratch / "all.o", *objects())
            run("objcopy", f"--redefine-syms={table}", scratch / "all.o")
            run(CXX, "-shared", "-o", scratch / "libkiln.so", "-Wl,-soname,libkiln.so",
                f"-Wl,--version-script={PROJECT}/src/exports.map", scratch / "all.o", "-ltbb", "-ldl")
            source = HERE / "beside.cpp"
            config = (BUILD / "include/oneapi/dnnl/dnnl_config.h").read_text()
            renamed = scratch / "include/oneapi/dnnl/dnnl_config.h"
            renamed.parent.mkdir(parents=True)
            renamed.write_text(config.replace("/* #undef KILN_RENAMED_SYMBOLS */",
                                              "#define KILN_RENAMED_SYMBOLS"))
            self.assertNotEqual(config, renamed.read_text())
            flags = ["-std=c++11", f"-I{PROJECT}/include", f"-I{BUILD}/include", f"-L{scratch}", f"-L{BUILD}/src"]
            run(CXX, f"-I{scratch}/include", *flags, "-o", scratch / "renamed", source, "-lkiln", "-ldl")
            run(CXX, *flags, "-o", scratch / "ordinary", source, "-ldnnl", "-ldl")

            other, paths = another_library(), f"{scratch}:{BUILD}/src"
            run(scratch / "renamed", other, LD_LIBRARY_PATH=paths)
            run(scratch / "renamed", other, LD_LIBRARY_PATH=paths, LD_PRELOAD=other)
            # What the names are for: without them the functions of the first library are called.
            mixed = subprocess.run([scratch / "ordinary", other], capture_output=True,
                                   env={**os.environ, "LD_LIBRARY_PATH": paths, "LD_PRELOAD": other})
            self.assertNotEqual(0, mixed.returncode)


if __name__ == "__main__":
    unittest.main()
