// SPDX-License-Identifier: Apache-2.0
// Runs a program with ISAs up to a level:  at_level LEVEL PROGRAM [ARGUMENT...]
// Exits with 77, by which CTest knows that a test was skipped, if the processor lacks the level: the
// program would run as at a lower one.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

int main(int argc, char **argv) {
    constexpr int skipped = 77;
    if (argc < 3) {
        std::fprintf(stderr, "at_level LEVEL PROGRAM [ARGUMENT...]\n");
        return EXIT_FAILURE;
    }
    const std::string level = argv[1];
    setenv("ONEDNN_MAX_CPU_ISA", level.c_str(), 1);
    const dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
    if (dnnl_cpu_isa2str(isa) != "cpu_isa_" + level) {
        std::printf("the processor lacks %s\n", level.c_str());
        return skipped;
    }
    execv(argv[2], argv + 2);
    std::perror(argv[2]);
    return EXIT_FAILURE;
}
