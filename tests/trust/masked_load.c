// SPDX-License-Identifier: Apache-2.0
// Whether the processor leaves the memory of masked lanes alone, as the manuals say: vmaskmovps of
// five lanes that end at an unmapped page. Exits with 0 if it does, 1 if the load is a fault.
// QEMU 7.2 reads all 32 bytes and fails; hardware and QEMU's masked stores do not.
#include <immintrin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { page = 4096, lanes = 5 };

static void fault(int signal) {
    (void)signal;
    _exit(1);
}

int main(void) {
    char *const pages
            = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0) return 2;
    signal(SIGSEGV, fault);
    float *const row = (float *)(pages + page) - lanes;
    const __m256i mask = _mm256_setr_epi32(-1, -1, -1, -1, -1, 0, 0, 0);
    const __m256 loaded = _mm256_maskload_ps(row, mask);
    _mm256_maskstore_ps(row, mask, _mm256_add_ps(loaded, _mm256_set1_ps(1)));
    return row[lanes - 1] == 1 ? 0 : 3;
}
