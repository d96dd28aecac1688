// SPDX-License-Identifier: Apache-2.0
// The kernel that copies the last elements of rows of A.

#include "cpu/x64/matrix/amx_rest.hpp"

#include <cstddef>
#include <string>

#include "cpu/x64/matrix/amx_kernel.hpp"

namespace kiln::x64::matrix {

amx_rest_kernel_t::amx_rest_kernel_t(isa_t isa, int bytes)
    : generator_t(isa, jit::kernel_name("matrix_amx_rest_" + std::to_string(bytes), {}, isa))
    , bytes_(bytes) {}

void amx_rest_kernel_t::generate() {
    const mask_t elements = mask("elements", (uint64_t(1) << bytes_) - 1);
    const gpr_t src = gpr("src", argument(offsetof(amx_rest_args_t, src))),
                pitch = gpr("pitch", argument(offsetof(amx_rest_args_t, pitch))),
                dst = gpr("dst", argument(offsetof(amx_rest_args_t, dst))),
                left = gpr("rows left", argument(offsetof(amx_rest_args_t, rows)));
    const vec_t row = vec("row");
    repeat(*left, [&] {
        const Xmm low = bytes_ <= 16 ? xmm(row) : bytes_ <= 32 ? Xmm(ymm(row)) : Xmm(zmm(row));
        vmovdqu8(low | *elements | Xbyak::util::T_z, ptr[*src]);
        vmovups(ptr[*dst], zmm(row));
        add(*src, *pitch);
        add(*dst, amx_row_bytes);
    });
}

} // namespace kiln::x64::matrix
