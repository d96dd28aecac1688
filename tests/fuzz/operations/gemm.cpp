// SPDX-License-Identifier: Apache-2.0
// dnnl_sgemm and its relatives of bytes: row-major matrices, without descriptors.
#include <algorithm>

#include "operations/products.hpp"
#include "operations/readers.hpp"
#include "support/expect.hpp"
#include "support/guarded.hpp"

namespace kiln::fuzz {

namespace {

struct matrix_t {
    char trans = 'N';
    dnnl_dim_t rows, columns, ld; ///< as they lie; elements from row to row

    /// Seldom illegal: another letter, a row that is too short.
    matrix_t(input_t &input, dnnl_dim_t op_rows, dnnl_dim_t op_columns, bool may_transpose)
        : rows(op_rows)
        , columns(op_columns) {
        if (may_transpose) trans = input.pick({'N', 'T', 'n', 't'});
        if (may_transpose && input.one_in(64)) trans = static_cast<char>(input.byte());
        if (trans == 'T' || trans == 't') std::swap(rows, columns);
        ld = std::max<dnnl_dim_t>(columns, 1) + (input.one_in(2) ? input.between(0, 9) : 0);
        if (input.one_in(64)) ld = input.between(-1, columns);
    }
    bool is_legal() const {
        return std::string_view("NTnt").find(trans) != std::string_view::npos
               && ld >= std::max<dnnl_dim_t>(columns, 1);
    }
    size_t elements() const {
        if (rows == 0 || columns == 0) return 0;
        return static_cast<size_t>((rows - 1) * std::max<dnnl_dim_t>(ld, columns) + columns);
    }
};

enum class kind_t { floats, u8s8, s8s8 };

template <typename element_t> const element_t *as(const std::byte *data) {
    return reinterpret_cast<const element_t *>(data);
}
template <typename element_t> element_t *as(std::byte *data) {
    return reinterpret_cast<element_t *>(data);
}

} // namespace

void run_gemm(input_t &input) {
    const auto kind = input.pick({kind_t::floats, kind_t::u8s8, kind_t::s8s8});
    const dnnl_dim_t m = read_extent(input), n = read_extent(input), k = read_extent(input);
    const matrix_t a(input, m, k, true), b(input, k, n, true), c(input, m, n, false);
    const float alpha = input.number(), beta = input.number();
    const bool is_float = kind == kind_t::floats;
    const dnnl_data_type_t a_type = is_float ? dnnl_f32 : kind == kind_t::u8s8 ? dnnl_u8 : dnnl_s8;
    const size_t size = is_float ? sizeof(float) : 1;
    buffers_t buffers(input);
    const auto *a_data = buffers.add_input(a.elements() * size, a_type);
    const auto *b_data = buffers.add_input(b.elements() * size, is_float ? dnnl_f32 : dnnl_s8);
    memory_desc_handle_t desc; // of what C's rows hold
    if (c.is_legal() && m > 0 && n > 0)
        desc = test::make_desc({m, n}, is_float ? dnnl_f32 : dnnl_s32, dims_t{c.ld, 1});
    auto *c_data = buffers.add_output(c.elements() * 4, desc);
    char shape = input.pick({'F', 'C', 'R', 'f', 'c', 'r'});
    if (input.one_in(64)) shape = static_cast<char>(input.byte());
    const bool is_column = shape == 'C' || shape == 'c', is_row = shape == 'R' || shape == 'r';
    const auto offsets = static_cast<size_t>(is_column ? m : is_row ? n : 1);
    bool is_legal = a.is_legal() && b.is_legal() && c.is_legal();
    dnnl_status_t status = dnnl_success;
    if (is_float) {
        status = dnnl_sgemm(a.trans, b.trans, m, n, k, alpha, as<float>(a_data), a.ld,
                as<float>(b_data), b.ld, beta, as<float>(c_data), c.ld);
    } else {
        const auto *co = as<int32_t>(buffers.add_input(offsets * sizeof(int32_t), dnnl_s32));
        const auto a_zero = input.byte();
        const auto b_zero = static_cast<int8_t>(input.byte());
        is_legal &= std::string_view("FCRfcr").find(shape) != std::string_view::npos;
        status = kind == kind_t::u8s8 ? dnnl_gemm_u8s8s32(a.trans, b.trans, shape, m, n, k, alpha,
                         as<uint8_t>(a_data), a.ld, a_zero, as<int8_t>(b_data), b.ld, b_zero, beta,
                         as<int32_t>(c_data), c.ld, co)
                                      : dnnl_gemm_s8s8s32(a.trans, b.trans, shape, m, n, k, alpha,
                                              as<int8_t>(a_data), a.ld, static_cast<int8_t>(a_zero),
                                              as<int8_t>(b_data), b.ld, b_zero, beta,
                                              as<int32_t>(c_data), c.ld, co);
    }
    succeeded(status, "gemm", is_legal ? verdict_t::success : verdict_t::refusal);
    buffers.expect_intact();
}

} // namespace kiln::fuzz
