// SPDX-License-Identifier: Apache-2.0
// Random post-ops: how they are asked for, their operands, and the truth about them.
#pragma once

#include <deque>

#include "differential/layouts.hpp"
#include "differential/operand.hpp"
#include "support/interval.hpp"
#include "support/post_ops.hpp"

namespace kiln::test::differential {

struct chain_rules_t {
    style_t style = style_t::any;
    bool may_sum = false;
    bool may_be_binary = true;
    bool may_be_eltwise = true;
};

class chain_t {
public:
    /// Up to 3 post-ops, or none.
    chain_t(random_t &random, const dims_t &dst_dims, dnnl_data_type_t dst_type,
            const chain_rules_t &rules);

    bool empty() const { return links_.empty(); }
    bool has_sum() const;
    std::string text() const;
    void set(dnnl_primitive_attr_t attr) const;
    /// Makes and fills the operands in the layouts that the descriptor names.
    void add_operands(std::deque<operand_t> &operands, const_dnnl_primitive_desc_t pd,
            regions_t &regions, random_t &random);
    /// What becomes of the values of dst, which held `before`.
    void apply(std::vector<interval_t> &values, const std::vector<double> &before) const;

private:
    struct link_t {
        dnnl_alg_kind_t alg = dnnl_alg_kind_undef; // undef: a sum
        float alpha = 0, beta = 0;                 // of a sum: scale and zero point
        memory_desc_handle_t src1 = {}, condition = {};
        const operand_t *src1_operand = nullptr, *condition_operand = nullptr;

        bool is_sum() const { return alg == dnnl_alg_kind_undef; }
        bool is_binary() const { return src1 != nullptr; }
    };

    link_t random_link(random_t &random, const chain_rules_t &rules) const;
    memory_desc_handle_t random_operand(
            random_t &random, dnnl_data_type_t type, const chain_rules_t &rules) const;

    dims_t dst_dims_;
    dnnl_data_type_t dst_type_;
    std::vector<link_t> links_;
};

/// Every result is right: the truth is not known, or not finite in f32.
interval_t anything();
bool is_anything(const interval_t &value);

} // namespace kiln::test::differential
