// SPDX-License-Identifier: Apache-2.0
// Inner products in three directions.
#include <algorithm>

#include "differential/layouts.hpp"
#include "differential/product_maker.hpp"
#include "support/data_type.hpp"
#include "support/implementations.hpp"

namespace kiln::test::differential {
namespace {

class inner_product_maker_t : product_maker_t {
public:
    using product_maker_t::product_maker_t;

    std::unique_ptr<problem_t> make() {
        problem_->operation = "ip";
        choose_dims();
        const double kind = random_.between(0, 1);
        kind < 0.5 ? make_forward() : kind < 0.75 ? make_backward_data() : make_backward_weights();
        return std::move(problem_);
    }

private:
    void choose_dims() {
        m_ = random_extent(random_, 100);
        n_ = random_extent(random_, 100);
        src_dims_ = {m_, random_extent(random_, 60)};
        for (int64_t axes = random_.pick({0, 0, 1, 2, 3}); axes > 0; --axes)
            src_dims_.push_back(1 + random_.below(5));
        k_ = volume(src_dims_) / m_;
        while (m_ * n_ * k_ > 200000) (m_ > n_ ? m_ : n_) /= 2;
        src_dims_[0] = m_;
        weights_dims_ = src_dims_;
        weights_dims_[0] = n_;
        has_bias_ = random_.chance(0.5);
    }

    /// src and weights that lie alike are matrices; others are not.
    std::pair<memory_desc_handle_t, memory_desc_handle_t> factor_layouts(
            dnnl_data_type_t src, dnnl_data_type_t weights, bool src_is_input, bool weights_are) {
        static const char *const tags[] = {"a", "ab", "abc", "abcd", "abcde"};
        static const char *const last[] = {"a", "ab", "acb", "acdb", "acdeb"};
        const size_t axes = src_dims_.size() - 1;
        if (random_.chance(0.5)) {
            const char *const tag = random_.chance(0.5) ? tags[axes] : last[axes];
            return {make_desc(src_dims_, src, tag), make_desc(weights_dims_, weights, tag)};
        }
        return {layout(src_dims_, src, src_is_input), layout(weights_dims_, weights, weights_are)};
    }

    void describe(dnnl_status_t status) { require(status, problem_->text + " is refused"); }

    void make_forward() {
        const product_types_t types = random_.chance(0.1)
                                              ? product_types_t{dnnl_f64, dnnl_f64, dnnl_f64}
                                      : random_.chance(0.4) ? integer_types(random_)
                                                            : float_types(random_);
        roundoff_ = arithmetic_roundoff({types.src});
        const bool has_integers = is_integer(types.src);
        const auto [src, weights] = factor_layouts(types.src, types.weights, true, true);
        const auto dst = layout({m_, n_}, types.dst, false);
        const auto bias_type = types.src == dnnl_f64 ? dnnl_f64
                               : has_integers        ? random_.pick({dnnl_s32, dnnl_f32, dnnl_s8})
                                                     : random_.pick({dnnl_f32, types.src});
        memory_desc_handle_t bias;
        if (has_bias_) bias = make_desc({n_}, bias_type);
        quantities_t quantities;
        const auto add = [&](int arg, int mask) {
            if (has_integers && random_.chance(0.3))
                quantities.push_back({DNNL_ARG_ATTR_SCALES, arg, mask});
        };
        add(DNNL_ARG_SRC, 0);
        add(DNNL_ARG_WEIGHTS, random_.pick({0, 1}));
        add(DNNL_ARG_DST, 0);
        chain_t chain(random_, {m_, n_}, types.dst, {.may_sum = true});
        const attr_handle_t attr = make_attr();
        for (const quantity_t &each : quantities) each.set(attr);
        chain.set(attr);
        problem_->text = "forward " + to_text(src) + " by " + to_text(weights) + " to "
                         + to_text(dst)
                         + (has_bias_ ? std::string(" bias ") + dnnl_dt2str(bias_type) : "");
        for (const quantity_t &each : quantities) problem_->text += each.text();
        problem_->text += chain.text();
        describe(dnnl_inner_product_forward_primitive_desc_create(problem_->pd.out(), cpu_engine(),
                dnnl_forward_training, src, weights, bias, dst, attr));
        operand_t &src_operand = add_input(DNNL_ARG_SRC, "src");
        operand_t &weights_operand = add_input(DNNL_ARG_WEIGHTS, "weights");
        operand_t *bias_operand = has_bias_ ? &add_input(DNNL_ARG_BIAS, "bias") : nullptr;
        operand_t &out = add_dst(types.dst, chain);
        add_quantities(quantities);
        chain.add_operands(problem_->inputs, problem_->pd, regions_, random_);
        const auto a = factors(src_operand, quantities);
        const auto b = factors(weights_operand, quantities);
        const bool is_exact = has_integers && quantities.empty();
        const long double scaling = quantities.empty() ? 0 : 3 * roundoff_;
        auto sums = products(m_, n_, k_, is_exact, scaling, [&](int64_t i, int64_t j, int64_t t) {
            return std::pair(a[i * k_ + t], b[j * k_ + t]);
        });
        finish(out, std::move(sums), bias_operand, quantities, chain);
    }

    void make_backward_data() {
        const product_types_t types = backward_types();
        const auto [diff_src, weights] = factor_layouts(types.dst, types.weights, false, true);
        const auto diff_dst = layout({m_, n_}, types.src, true);
        problem_->text = "backward data " + to_text(diff_dst) + " by " + to_text(weights) + " to "
                         + to_text(diff_src);
        describe(dnnl_inner_product_backward_data_primitive_desc_create(
                problem_->pd.out(), cpu_engine(), diff_src, weights, diff_dst, nullptr, nullptr));
        const auto a = factors(add_input(DNNL_ARG_DIFF_DST, "diff_dst"));
        const auto b = factors(add_input(DNNL_ARG_WEIGHTS, "weights"));
        add_truth(DNNL_ARG_DIFF_SRC, "diff_src",
                products(m_, k_, n_, false, 0, [&](int64_t i, int64_t j, int64_t t) {
                    return std::pair(a[i * n_ + t], b[t * k_ + j]);
                }));
    }

    void make_backward_weights() {
        const product_types_t types = backward_types();
        const auto [src, diff_weights] = factor_layouts(types.weights, types.dst, true, false);
        const auto diff_dst = layout({m_, n_}, types.src, true);
        memory_desc_handle_t diff_bias;
        if (has_bias_) diff_bias = make_desc({n_}, types.dst);
        problem_->text = "backward weights " + to_text(diff_dst) + " by " + to_text(src) + " to "
                         + to_text(diff_weights) + (has_bias_ ? " with bias" : "");
        describe(dnnl_inner_product_backward_weights_primitive_desc_create(problem_->pd.out(),
                cpu_engine(), src, diff_weights, diff_bias, diff_dst, nullptr, nullptr));
        const auto a = factors(add_input(DNNL_ARG_DIFF_DST, "diff_dst"));
        const auto b = factors(add_input(DNNL_ARG_SRC, "src"));
        add_truth(DNNL_ARG_DIFF_WEIGHTS, "diff_weights",
                products(n_, k_, m_, false, 0, [&](int64_t i, int64_t j, int64_t t) {
                    return std::pair(a[t * n_ + i], b[t * k_ + j]);
                }));
        if (!has_bias_) return;
        add_truth(DNNL_ARG_DIFF_BIAS, "diff_bias",
                products(1, n_, m_, false, 0, [&](int64_t, int64_t j, int64_t t) {
                    return std::pair(a[t * n_ + j], factor_t{1, 1});
                }));
    }

    /// Of diff_dst, of the other factor and of the result.
    product_types_t backward_types() {
        if (random_.chance(0.1)) return {dnnl_f64, dnnl_f64, dnnl_f64};
        const auto type = random_.pick({dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f16});
        return {type, type, random_.pick({type, dnnl_f32})};
    }

    void add_truth(int arg, const char *name, std::vector<interval_t> values) {
        operand_t &output = problem_->add_output(arg, name, regions_, random_);
        problem_->truths.push_back({&output, std::move(values)});
    }

    /// The sums over t of the two factors that `terms(i, j, t)` gives.
    template <typename terms_t>
    std::vector<interval_t> products(int64_t rows, int64_t columns, int64_t depth, bool is_exact,
            long double scaling, terms_t terms) const {
        std::vector<interval_t> results;
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j) {
                product_sum_t sum;
                for (int64_t t = 0; t < depth; ++t) {
                    const auto [a, b] = terms(i, j, t);
                    sum.add(a, b);
                }
                results.push_back(sum.interval(depth, is_exact, repeats_, roundoff_)
                                          .widened(scaling * sum.size));
            }
        return results;
    }

    int64_t m_ = 0, n_ = 0, k_ = 0;
    bool has_bias_ = false;
    dims_t src_dims_, weights_dims_;
};

} // namespace

std::unique_ptr<problem_t> make_inner_product(random_t &random, regions_t &regions) {
    return inner_product_maker_t(random, regions).make();
}

} // namespace kiln::test::differential
