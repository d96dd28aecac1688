// SPDX-License-Identifier: Apache-2.0
// Elementwise functions and their gradients, and the truth in long double.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "eltwise/truth.hpp"
#include "support/data_type.hpp"
#include "support/execution_checks.hpp"
#include "support/post_op_functions.hpp"
#include "support/post_ops.hpp"
#include "support/random_values.hpp"

namespace kiln::test::eltwise_operation {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

struct function_t {
    dnnl_alg_kind_t alg = dnnl_eltwise_relu;
    float alpha = 0, beta = 0;
};

struct problem_t {
    function_t op = {};
    bool is_forward = true;
    dims_t dims = {3, 37};
    dnnl_data_type_t type = dnnl_f32;
    std::string data_format = "", format = "any"; // of what is given; of dst or the gradients
    bool in_place = false;
    post_op_chain_t post_ops = {};

    int data_arg() const { return !is_forward && uses_dst(op.alg) ? DNNL_ARG_DST : DNNL_ARG_SRC; }
    int result_arg() const { return is_forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC; }
};

inline std::string to_string(const problem_t &p) {
    return std::string(p.is_forward ? "forward " : "backward ") + dnnl_alg_kind2str(p.op.alg)
           + " alpha " + std::to_string(p.op.alpha) + " beta " + std::to_string(p.op.beta) + " "
           + dnnl_dt2str(p.type) + " " + test::to_string(p.dims) + " " + p.data_format + " to "
           + p.format + (p.in_place ? " in place" : "") + test::to_string(p.post_ops);
}

/// Away from the steps of derivatives.
inline std::vector<double> values_of(const problem_t &p) {
    random_values_t random(11);
    std::vector<double> values;
    for (int64_t i = 0; i < volume(p.dims); ++i) {
        double x = random.between(-1, 1);
        if (is_integer(p.type))
            x = std::floor(p.type == dnnl_u8 ? 127 * (x + 1) : 120 * x);
        else
            x *= i % 5 == 0 ? 7 : 1.5;
        if (needs_positive(p.op.alg)) x = std::fabs(x) + 0.1;
        for (const float end :
                {0.f, p.op.alpha, p.op.beta, (1 - p.op.beta) / p.op.alpha, -p.op.beta / p.op.alpha})
            if (!is_integer(p.type) && std::fabs(x - end) < 0.02) x += 0.05;
        if (p.data_arg() == DNNL_ARG_DST)
            x = static_cast<double>(eltwise(
                    p.op.alg, p.op.alpha, p.op.beta, interval_t::exactly(rounded(p.type, x)))
                                            .value);
        values.push_back(x);
    }
    return values;
}

inline primitive_desc_handle_t describe(const problem_t &p, size_t implementation = 0) {
    const auto data = make_desc(p.dims, p.type, p.data_format);
    const auto other = make_desc(p.dims, p.type, p.format);
    const attr_handle_t attr = make_attr();
    if (!p.post_ops.empty())
        require(dnnl_primitive_attr_set_post_ops(attr, make_post_ops(p.post_ops, p.dims)),
                "post-ops");
    primitive_desc_handle_t pd, hint;
    require(dnnl_eltwise_forward_primitive_desc_create(hint.out(), cpu_engine(),
                    dnnl_forward_training, p.op.alg, data, other, p.op.alpha, p.op.beta, attr),
            to_string(p));
    if (p.is_forward) {
        skip_implementations(hint, implementation);
        return hint;
    }
    require(dnnl_eltwise_backward_primitive_desc_create(pd.out(), cpu_engine(), p.op.alg, other,
                    other, data, p.op.alpha, p.op.beta, hint, nullptr),
            to_string(p));
    skip_implementations(pd, implementation);
    return pd;
}

class case_t : public problem_case_t<problem_t> {
public:
    case_t(const problem_t &p, size_t implementation, const std::vector<double> &values,
            placement_t placement = placement_t::ends_at_guard)
        : problem_case_t(p, implementation, placement) {
        add_input(p.data_arg(), "data", values);
        data_ = tensor(p.data_arg()).values();
        if (!p.is_forward) {
            add_input(
                    DNNL_ARG_DIFF_DST, "diff_dst", random_values_t(5).many(volume(p.dims), -2, 2));
            diff_dst_ = tensor(DNNL_ARG_DIFF_DST).values();
        }
        add_output(p.result_arg(), "result", p.in_place,
                p.is_forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST);
        bindings().add_scratchpad(primitive_desc());
        post_ops_.emplace(p.post_ops, primitive_desc(), bindings(), 5);
    }

    std::vector<double> results() const { return tensor(p_.result_arg()).values(); }

    std::vector<expected_t> expected() const override {
        std::vector<interval_t> truth;
        const auto &[alg, alpha, beta] = std::tie(p_.op.alg, p_.op.alpha, p_.op.beta);
        for (size_t i = 0; i < data_.size(); ++i) {
            const interval_t x = interval_t::exactly(data_[i]);
            if (p_.is_forward) {
                interval_t result = eltwise(alg, alpha, beta, x, arithmetic_roundoff({p_.type}));
                if (p_.post_ops.empty()) result = before_rounding(result, alg, p_.type);
                truth.push_back(
                        post_ops_->apply(result, index_at(p_.dims, static_cast<int64_t>(i))));
                continue;
            }
            const long double gradient = diff_dst_[i];
            const interval_t result = slope(alg, alpha, beta, x.value).map([&](long double s) {
                return s * gradient;
            });
            truth.push_back(result.widened(unit_roundoff(dnnl_f32) * std::fabs(result.value)));
        }
        return {{p_.result_arg(), "result", truth}};
    }

private:
    std::vector<double> data_, diff_dst_;
    std::optional<post_op_operands_t> post_ops_;
};

inline void expect_right(const problem_t &p) {
    const auto values = values_of(p);
    expect_right_everywhere(implementations(p),
            [&](size_t at, placement_t placement) { return case_t(p, at, values, placement); });
}

} // namespace kiln::test::eltwise_operation
