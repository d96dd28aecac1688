// SPDX-License-Identifier: Apache-2.0
// CPUID and XGETBV. In a virtual machine each CPUID takes microseconds: what is read is kept.
#pragma once

#include <cstdint>

#include <cpuid.h>

namespace kiln::x64 {

/// The registers of one leaf. All are zero by default, as if the processor lacked the leaf.
struct cpuid_t {
    uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// A leaf that the processor has. One instruction.
inline cpuid_t cpuid(uint32_t leaf, uint32_t subleaf = 0) {
    cpuid_t found;
    __cpuid_count(leaf, subleaf, found.eax, found.ebx, found.ecx, found.edx);
    return found;
}

/// Leaves as far as the processor has them. They are in one of two ranges, of which the first leaf
/// tells the last.
class cpuid_range_t {
public:
    static constexpr uint32_t basic = 0, extended = 0x80000000;
    explicit cpuid_range_t(uint32_t first)
        : last_(cpuid(first).eax) {}
    cpuid_t leaf(uint32_t number, uint32_t subleaf = 0) const {
        return number <= last_ ? cpuid(number, subleaf) : cpuid_t{};
    }

private:
    uint32_t last_;
};

/// The registers' states that the operating system saves: bits of XCR0. CPUID says whether there is
/// XGETBV (leaf 1, bit 27 of ecx).
inline uint64_t saved_states() {
    uint32_t eax, edx;
    asm volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return uint64_t(edx) << 32 | eax;
}

} // namespace kiln::x64
