// SPDX-License-Identifier: Apache-2.0
// A chain of eltwise, binary and sum post-ops on a vector inside a kernel. It must not know
// descriptors, nor where operands lie: the kernel says so when it is asked.
#pragma once

#include <functional>
#include <tuple>
#include <vector>

#include "common/fields.hpp"
#include "common/primitive/implementation.hpp"
#include "cpu/x64/jit/binary.hpp"
#include "cpu/x64/jit/derivative.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/jit/math.hpp"

namespace kiln::x64::jit {

/// What a binary post-op reads for a vector: as many elements as the vector has, side by side, or
/// one for all lanes.
struct post_op_operand_t {
    data_type_t type;
    bool per_lane;

    auto fields() const { return std::tie(type, per_lane); }
    bool operator==(const post_op_operand_t &other) const { return same(*this, other); }
};

/// An eltwise algorithm (no operands), a binary one (its second source), or dnnl_binary_select
/// (the second source, then the condition). Or a sum, an addition of alpha * (operand - beta).
struct post_op_link_t {
    alg_kind_t alg;
    float alpha = 0; // eltwise, sum
    float beta = 0;  // eltwise, sum
    std::vector<post_op_operand_t> operands = {};
    bool is_sum = false;        // its alg is dnnl_binary_add
    bool is_derivative = false; // of an eltwise algorithm

    auto fields() const { return std::tie(alg, alpha, beta, operands, is_sum, is_derivative); }
    bool operator==(const post_op_link_t &other) const { return same(*this, other); }
};

/// Whether the chain knows the algorithm and can load the operands.
refusal_t check_post_op(const post_op_link_t &link);

/// The operands of all links one after the other: their places here are their indices.
std::vector<post_op_operand_t> operands_of(const std::vector<post_op_link_t> &links);

/// How many vectors apply() takes for a while; 0 for an empty chain, never more than
/// max_post_op_temporaries. On every ISA it takes up to max_post_op_masks masks, which AVX2 has
/// none of, besides the tail's.
int post_op_temporaries(const std::vector<post_op_link_t> &links);
constexpr int max_post_op_temporaries = max_derivative_temporaries;
constexpr int max_post_op_masks = max_math_masks;

/// Gives the address of an operand's elements for the current vector. Asked once an operand and
/// vector, in the order of the indices, right before the load: it may write instructions, and what
/// it gives need hold only until it is asked again.
using operand_address_t = std::function<Xbyak::RegExp(int operand)>;

class post_op_chain_t {
public:
    /// Each link has passed check_post_op().
    post_op_chain_t(generator_t &g, lanes_io_t &io, std::vector<post_op_link_t> links);

    bool empty() const { return links_.empty(); }

    /// value = the chain's result, in float arithmetic after each link. The first `count` lanes
    /// mean something, all of them or the tail that the lanes_io_t is prepared for; no operand is
    /// read beyond them, and what becomes of the other lanes is open. A vector argument stands for
    /// the whole register. May change the flags.
    void apply(const Xbyak::Xmm &value, int count, const operand_address_t &address) const;

private:
    /// The operand's elements as floats, in a register of its own.
    vec_t load(const post_op_operand_t &operand, const Xbyak::RegExp &at, int count) const;

    generator_t &g_;
    lanes_io_t &io_;
    const std::vector<post_op_link_t> links_;
};

} // namespace kiln::x64::jit
