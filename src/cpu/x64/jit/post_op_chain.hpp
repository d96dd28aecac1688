// SPDX-License-Identifier: Apache-2.0
// A chain of eltwise, binary, prelu and sum post-ops on a vector. The kernel provides the addresses
// of operands.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "common/attributes/post_ops.hpp"
#include "common/fields.hpp"
#include "common/function_ref.hpp"
#include "common/primitive/implementation.hpp"
#include "cpu/x64/jit/bf16_pairs.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/jit/math/eltwise.hpp"
#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64::jit {

/// What a binary post-op reads for a vector: one element per lane, `stride` elements apart, or one
/// element for all lanes.
struct post_op_operand_t {
    data_type_t type;
    bool per_lane;
    dim_t stride = 1;
    bool repeats = false;  // every vector of a row reads the same elements for its lanes
    bool is_fixed = false; // rows read the same elements as each other

    /// Whether elements for lanes are not adjacent in memory.
    bool is_strided() const { return per_lane && stride != 1; }
    /// Whether vectors of a row read the same.
    bool is_of_row() const { return !per_lane || repeats; }
    auto fields() const { return std::tie(type, per_lane, stride, repeats, is_fixed); }
    bool operator==(const post_op_operand_t &other) const { return same(*this, other); }
};

/// to = what the operand has for `count` lanes from `at` on, as floats. Needs what
/// lanes_io_t::load_strided() needs, if the operand is strided.
void load_operand(lanes_io_t &io, const Xmm &to, const post_op_operand_t &operand, const RegExp &at,
        int count);

/// One post-op: an eltwise algorithm (no operands), a binary algorithm (its second source),
/// dnnl_binary_select (its second source and its condition), or a sum, which adds
/// alpha * (operand - beta). A binary algorithm's second source may have a scale, its last operand.
/// PReLU is a product with its second source where the value is not positive; its derivative is
/// that source there and 1 elsewhere. A division by a scale may be by its reciprocal: the two parts
/// of a reciprocal_t are operands instead of its second source, or are made of it.
struct post_op_link_t {
    alg_kind_t alg;
    float alpha = 0; // eltwise, sum
    float beta = 0;  // eltwise, sum
    std::vector<post_op_operand_t> operands = {};
    bool is_sum = false;               // its alg is dnnl_binary_add
    bool is_prelu = false;             // its alg is dnnl_binary_mul
    bool is_derivative = false;        // of an eltwise algorithm or PReLU
    bool is_scaled = false;            // the second source is multiplied by the last operand
    bool is_by_scale = false;          // its alg is dnnl_binary_div
    bool is_of_numbers = false;        // binary: the value before is not NaN
    data_type_t rounded_to = dnnl_f32; // eltwise: what the result becomes next

    /// Whether the operands of a division by a scale are the parts of its reciprocal.
    bool has_reciprocal() const { return is_by_scale && operands.size() == 2; }
    auto fields() const {
        return std::tie(alg, alpha, beta, operands, is_sum, is_prelu, is_derivative, is_scaled,
                is_by_scale, is_of_numbers, rounded_to);
    }
    bool operator==(const post_op_link_t &other) const { return same(*this, other); }
};

/// Refuses a post-op whose algorithm or whose operands' types have no code.
refusal_t check_post_op(const post_op_link_t &link);

/// The operands of all links in order. The index of an operand is its index here.
std::vector<post_op_operand_t> operands_of(const std::vector<post_op_link_t> &links);

/// How many vectors apply() needs: 0 for an empty chain, at most max_post_op_temporaries. With
/// AVX-512 it also needs up to max_post_op_masks masks.
int post_op_temporaries(const std::vector<post_op_link_t> &links);
constexpr int max_post_op_temporaries = max_derivative_temporaries;
constexpr int max_post_op_masks = max_math_masks;

/// Returns the address of an operand's elements for the current vector. It is called once per
/// operand and vector, in the order of indices, immediately before the load. It may emit
/// instructions; the address must be valid until the next call.
using operand_address_t = function_ref_t<RegExp(int operand)>;

/// By index, operands that are in registers as floats. apply() loads the others. A sum's is none.
/// Second registers may follow: for pairs, operands of odd lanes where they differ from those of
/// even ones; for a division by a scale, `low` of its reciprocal, of which the first one is `high`.
using held_post_op_operands_t = std::vector<std::optional<vec_t>>;

class post_op_chain_t {
public:
    /// Each link has passed check_post_op().
    post_op_chain_t(generator_t &g, lanes_io_t &io, std::vector<post_op_link_t> links);

    bool empty() const { return links_.empty(); }

    /// value = the result of the chain, or of some links of it, rounded to float after each link.
    /// `count` is lanes() or the tail that the lanes_io_t is prepared for. No operand is read
    /// beyond `count` lanes, and the result is undefined there. A vector argument means the whole
    /// register. May change the flags.
    void apply(const Xmm &value, int count, const operand_address_t &address,
            const held_post_op_operands_t &held = {}, post_op_range_t range = {}) const;

    /// The same on a pair of vectors. Operands whose elements differ along a row are adjacent bf16.
    void apply_to_pair(const Xmm &even, const Xmm &odd, int count, const bf16_pairs_t &pairs,
            const operand_address_t &address, const held_post_op_operands_t &held) const;

    /// New registers with the operands that have one element for all lanes, no sum's, for which
    /// `is_held` returns true: as many as leave registers for apply(), its value and a store.
    held_post_op_operands_t hold(const function_ref_t<bool(size_t operand)> &is_held,
            const operand_address_t &address) const;

    /// A new register with the operand's elements as floats.
    vec_t load(const post_op_operand_t &operand, const RegExp &at, int count) const;

private:
    /// Writes one link; operands are in registers.
    void apply_link(
            const post_op_link_t &link, const Xmm &value, const std::vector<Xmm> &operands) const;

    generator_t &g_;
    lanes_io_t &io_;
    const std::vector<post_op_link_t> links_;
};

} // namespace kiln::x64::jit
