// SPDX-License-Identifier: Apache-2.0
// Binary operations, and their truth in long double.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "support/data_type.hpp"
#include "support/execution_checks.hpp"
#include "support/post_op_functions.hpp"
#include "support/post_ops.hpp"
#include "support/random_values.hpp"
#include "support/scale_attr.hpp"

namespace kiln::test::binary_operation {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct problem_t {
    dnnl_alg_kind_t alg = dnnl_binary_add;
    dims_t dims = {3, 37};
    int mask_0 = 15, mask_1 = 15; // the axes along which a source is not broadcast
    dnnl_data_type_t type_0 = dnnl_f32, type_1 = dnnl_f32, dst_type = dnnl_f32;
    std::string format_0 = "", format_1 = "any", dst_format = "any";
    bool in_place = false;
    std::optional<scale_attr_t> scale_0 = {}, scale_1 = {};
    post_op_chain_t post_ops = {};

    bool has_condition() const { return alg == dnnl_binary_select; }
    dims_t dims_of(int mask) const {
        dims_t result = dims;
        for (size_t d = 0; d < dims.size(); ++d)
            if (!(mask >> d & 1)) result[d] = 1;
        return result;
    }
};

inline std::string to_string(const problem_t &p) {
    const auto source = [&](int mask, dnnl_data_type_t type, const std::string &format,
                                const std::optional<scale_attr_t> &scale) {
        return test::to_string(p.dims_of(mask)) + " " + dnnl_dt2str(type) + ":" + format
               + (scale ? " scale " + test::to_string(*scale) : "");
    };
    return std::string(dnnl_alg_kind2str(p.alg)) + " "
           + source(p.mask_0, p.type_0, p.format_0, p.scale_0) + " and "
           + source(p.mask_1, p.type_1, p.format_1, p.scale_1) + " to " + dnnl_dt2str(p.dst_type)
           + ":" + p.dst_format + (p.in_place ? " in place" : "") + test::to_string(p.post_ops);
}

/// Some values are equal in both sources; none is 0.
inline std::vector<double> values_of(const dims_t &dims, dnnl_data_type_t type, uint64_t seed) {
    random_values_t random(seed);
    std::vector<double> values;
    for (int64_t i = 0; i < volume(dims); ++i) {
        double x = random.between(-1, 1);
        if (is_integer(type))
            x = std::floor(20 * std::fabs(x)) * (x < 0 && type != dnnl_u8 ? -1 : 1) + 0;
        else
            x *= 4;
        if (std::fabs(x) < 0.25 || i % 7 == 3) x = 2;
        values.push_back(x);
    }
    return values;
}

inline primitive_desc_handle_t describe(const problem_t &p, size_t implementation = 0) {
    const attr_handle_t attr = make_attr();
    set_scale(attr, DNNL_ARG_SRC_0, p.scale_0);
    set_scale(attr, DNNL_ARG_SRC_1, p.scale_1);
    if (!p.post_ops.empty())
        require(dnnl_primitive_attr_set_post_ops(attr, make_post_ops(p.post_ops, p.dims)),
                "post-ops");
    const auto src_0 = make_desc(p.dims_of(p.mask_0), p.type_0, p.format_0);
    const auto src_1 = make_desc(p.dims_of(p.mask_1), p.type_1, p.format_1);
    const auto src_2 = make_desc(p.dims_of(p.mask_0), dnnl_s8, p.format_0);
    const auto dst = make_desc(p.dims, p.dst_type, p.dst_format);
    primitive_desc_handle_t pd;
    require(dnnl_binary_primitive_desc_create_v2(pd.out(), cpu_engine(), p.alg, src_0, src_1,
                    p.has_condition() ? const_dnnl_memory_desc_t(src_2) : nullptr, dst, attr),
            to_string(p));
    skip_implementations(pd, implementation);
    return pd;
}

class case_t : public problem_case_t<problem_t> {
public:
    case_t(const problem_t &p, size_t implementation,
            placement_t placement = placement_t::ends_at_guard)
        : problem_case_t(p, implementation, placement) {
        add_source(DNNL_ARG_SRC_0, "src_0", values_of(p.dims_of(p.mask_0), p.type_0, 3));
        add_source(DNNL_ARG_SRC_1, "src_1", values_of(p.dims_of(p.mask_1), p.type_1, 4));
        if (p.has_condition()) {
            std::vector<double> conditions;
            for (int64_t i = 0; i < volume(p.dims_of(p.mask_0)); ++i)
                conditions.push_back(static_cast<double>(i * i % 3 - 1));
            add_source(DNNL_ARG_SRC_2, "src_2", conditions);
        }
        for (const auto &[arg, scale] :
                {std::pair(DNNL_ARG_SRC_0, p.scale_0), std::pair(DNNL_ARG_SRC_1, p.scale_1)})
            if (scale) bindings().add_scale(arg, scale->type, scale->value, scale->is_on_host);
        add_output(DNNL_ARG_DST, "dst", p.in_place, DNNL_ARG_SRC_0);
        bindings().add_scratchpad(primitive_desc());
        post_ops_.emplace(p.post_ops, primitive_desc(), bindings(), 5);
    }

    void refill(int arg, const std::vector<double> &values) override {
        problem_case_t::refill(arg, values);
        sources_[static_cast<size_t>(arg - DNNL_ARG_SRC_0)] = tensor(arg).values();
    }
    std::vector<double> results() const { return tensor(DNNL_ARG_DST).values(); }

    std::vector<expected_t> expected() const override {
        std::vector<interval_t> truth;
        for_each_index(p_.dims, [&](const dims_t &index) {
            truth.push_back(post_ops_->apply(result_at(index), index));
        });
        return {{DNNL_ARG_DST, "dst", truth}};
    }

private:
    void add_source(int arg, const std::string &name, const std::vector<double> &values) {
        add_input(arg, name, values);
        sources_.push_back(tensor(arg).values());
    }

    long double value(size_t source, const dims_t &index) const {
        const dims_t dims = p_.dims_of(source == 1 ? p_.mask_1 : p_.mask_0);
        size_t place = 0;
        for (size_t d = 0; d < dims.size(); ++d)
            place = place * static_cast<size_t>(dims[d])
                    + static_cast<size_t>(dims[d] == 1 ? 0 : index[d]);
        return sources_[source][place];
    }

    /// Products with scales are rounded.
    interval_t result_at(const dims_t &index) const {
        const auto scaled = [&](size_t source, const std::optional<scale_attr_t> &scale) {
            const long double x = value(source, index);
            return scale ? static_cast<long double>(static_cast<float>(x * factor_of(scale))) : x;
        };
        const long double x = scaled(0, p_.scale_0), y = scaled(1, p_.scale_1);
        if (p_.has_condition()) return interval_t::exactly(value(2, index) != 0 ? x : y);
        return binary(p_.alg, interval_t::exactly(x), y);
    }

    std::vector<std::vector<double>> sources_;
    std::optional<post_op_operands_t> post_ops_;
};

inline void expect_right(const problem_t &p) { expect_right_everywhere<case_t>(p); }

} // namespace kiln::test::binary_operation
