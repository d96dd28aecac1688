// SPDX-License-Identifier: Apache-2.0
// Padding of elementwise operations.

#include "cpu/x64/rows/elementwise_padding.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "cpu/binary_scalar.hpp"
#include "cpu/eltwise_scalar.hpp"

namespace kiln::x64 {

using jit::post_op_link_t;

namespace {

bool is_padded(const memory_desc_t &md, int axis) { return md.padded_dims[axis] != md.dims[axis]; }

/// Whether the operand has dst's padding along all axes. Padding of operands is zeros.
bool has_padding_of(const memory_desc_t &operand, const memory_desc_t &dst) {
    if (is_zero(operand)) return false;
    for (int d = 0; d < dst.ndims; ++d)
        if (is_padded(dst, d)
                && (operand.dims[d] != dst.dims[d] || operand.padded_dims[d] != dst.padded_dims[d]))
            return false;
    return true;
}

/// What a link, no sum, makes of x where its operands are zeros.
float applied_to_zeros(const post_op_link_t &link, float x) {
    if (link.is_prelu && link.is_derivative) return x > 0 ? 1.f : 0.f;
    if (link.is_prelu) return x > 0 ? x : x * 0;
    if (!link.operands.empty()) return binary(link.alg, x, 0);
    return link.is_derivative ? eltwise_derivative(link.alg, x, link.alpha, link.beta)
                              : eltwise_fwd(link.alg, x, link.alpha, link.beta);
}

} // namespace

std::optional<std::vector<memory_desc_t>> with_padding(
        std::span<const memory_desc_t *const> operands) {
    const memory_desc_t &dst = *operands[elementwise_dst];
    if (!has_padding(dst)) return std::nullopt;
    std::vector<memory_desc_t> whole;
    whole.reserve(operands.size());
    for (const memory_desc_t *operand : operands) {
        memory_desc_t &md = whole.emplace_back(*operand);
        if (is_zero(md)) continue;
        for (int d = 0; d < dst.ndims; ++d) {
            if (!is_padded(dst, d)) continue;
            const bool is_alike =
                    md.dims[d] == dst.dims[d] && md.padded_dims[d] == dst.padded_dims[d];
            if (!is_alike && md.dims[d] == 1) continue; // broadcast
            if (!is_alike || md.padded_offsets[d] != 0) return std::nullopt;
            md.dims[d] = md.padded_dims[d];
        }
    }
    return whole;
}

bool are_padded_alike(std::span<const memory_desc_t *const> operands) {
    const memory_desc_t &dst = *operands[elementwise_dst];
    const auto has_no_other = [&](const memory_desc_t &operand) {
        for (int d = 0; d < dst.ndims; ++d)
            if (is_padded(operand, d) && !is_padded(dst, d)) return false;
        return true;
    };
    return with_padding(operands)
           && std::ranges::all_of(operands.subspan(1), [&](const memory_desc_t *operand) {
                  return has_padding_of(*operand, dst) && has_no_other(*operand);
              });
}

bool keeps_padding(std::span<const memory_desc_t *const> operands, const elementwise_spec_t &spec) {
    if (!with_padding(operands)) return false;
    const memory_desc_t &dst = *operands[elementwise_dst];
    if (!has_padding_of(*operands[elementwise_src], dst)) return false;
    size_t next = first_chain_operand;
    float x = 0;
    for (const post_op_link_t &link : spec.chain) {
        if (link.is_sum || link.alg == dnnl_binary_select) return false; // dst may hold anything
        for (size_t i = 0; i < link.operands.size(); ++i)
            if (!has_padding_of(*operands[next++], dst)) return false;
        x = applied_to_zeros(link, x);
    }
    return std::bit_cast<uint32_t>(x) == 0;
}

dim_t padding_behind(std::span<const memory_desc_t *const> operands, const tensor_box_t &box,
        const row_mode_t &line) {
    const memory_desc_t &dst = *operands[elementwise_dst];
    const blocking_t &blocking = dst.format_desc.blocking;
    if (blocking.inner_nblks != 1) return 0;
    const int axis = blocking.inner_idxs[0];
    const dim_t block = blocking.inner_blks[0], rest = dst.dims[axis] % block;
    for (int d = 0; d < dst.ndims; ++d)
        if (dst.padded_dims[d] - dst.dims[d] != (d == axis ? block - rest : 0)) return 0;
    const dim_t last_block = dst.offset0 + dst.dims[axis] / block * blocking.strides[axis];
    const bool ends_row = line.strides[elementwise_dst] == 1 && line.extent == rest
                          && box.origin[elementwise_dst] == last_block;
    return ends_row ? block - rest : 0;
}

} // namespace kiln::x64
