// SPDX-License-Identifier: Apache-2.0
// Reductions by all algorithms over any axes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "differential/layouts.hpp"
#include "differential/problem.hpp"
#include "support/data_type.hpp"
#include "support/roundings.hpp"

namespace kiln::test::differential {
namespace {

constexpr dnnl_data_type_t types[] = {
        dnnl_f32, dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8, dnnl_s32, dnnl_f64};

bool is_norm(dnnl_alg_kind_t alg) { return alg >= dnnl_reduction_norm_lp_max; }

/// What is known of the terms of one result.
struct terms_t {
    long double sum = 0, size = 0, product = 1;
    long double most = 1, least_product = 1; // of the terms of magnitude above 1, and below
    double greatest = -std::numeric_limits<double>::infinity();
    double least = std::numeric_limits<double>::infinity();
};

class reduction_maker_t {
public:
    reduction_maker_t(random_t &random, regions_t &regions)
        : random_(random)
        , regions_(regions)
        , problem_(std::make_unique<problem_t>())
        , alg_(static_cast<dnnl_alg_kind_t>(dnnl_reduction_max + random.below(9)))
        , p_(random.pick({1.f, 2.f, 2.f, 1.5f, 3.f}))
        , epsilon_(random.pick({0.f, 0.5f, 1e-3f, 100.f}))
        , src_type_(
                  is_norm(alg_) ? random.pick({dnnl_f32, dnnl_bf16, dnnl_f16}) : random.pick(types))
        , dst_type_(random.chance(0.3) ? src_type_ : random.pick(types)) {}

    std::unique_ptr<problem_t> make() {
        problem_->operation = "reduction";
        choose_dims();
        const auto src =
                random_layout(random_, src_dims_, src_type_, {.style = style_, .may_repeat = true});
        const auto dst = random_layout(
                random_, dst_dims_, dst_type_, {.style = style_, .may_be_open = true});
        repeats_ = repeats(src);
        chain_t chain(random_, dst_dims_, dst_type_, {.style = style_, .may_sum = true});
        const attr_handle_t attr = make_attr();
        chain.set(attr);
        problem_->text = std::string(dnnl_alg_kind2str(alg_)) + " p " + std::to_string(p_)
                         + " epsilon " + std::to_string(epsilon_) + " " + to_text(src) + " to ";
        require(dnnl_reduction_primitive_desc_create(
                        problem_->pd.out(), cpu_engine(), alg_, src, dst, p_, epsilon_, attr),
                problem_->text + test::to_string(dst_dims_) + chain.text() + " is refused");
        operand_t &src_operand = problem_->add_input(DNNL_ARG_SRC, "src", regions_, random_);
        src_operand.fill(src_values(src_operand.elements()));
        operand_t &dst_operand = problem_->add_output(DNNL_ARG_DST, "dst", regions_, random_);
        problem_->text += to_text(dst_operand.desc()) + chain.text();
        if (chain.has_sum())
            dst_operand.fill(random_values(random_, dst_operand.elements(), dst_type_, -9, 9));
        chain.add_operands(problem_->inputs, problem_->pd, regions_, random_);
        auto values = results(src_operand.values());
        chain.apply(values, dst_operand.values());
        problem_->truths.push_back({&dst_operand, std::move(values)});
        return std::move(problem_);
    }

private:
    void choose_dims() {
        const auto ndims = static_cast<size_t>(random_.pick({1, 2, 2, 3, 3, 4, 4, 5, 7}));
        src_dims_ = random_dims(random_, ndims, random_.chance(0.05) ? 6000 : 700);
        if (random_.chance(0.004)) src_dims_.back() = 65536 + random_.below(3000); // several chunks
        if (volume(src_dims_) > 70000) src_dims_ = {2, 1031};
        const bool is_inner = random_.chance(0.5); // the last axes
        while (true) {
            dst_dims_ = src_dims_;
            const auto first = static_cast<size_t>(random_.below(int64_t(src_dims_.size())));
            for (size_t axis = 0; axis < dst_dims_.size(); ++axis)
                if (is_inner ? axis >= first : random_.chance(0.5)) dst_dims_[axis] = 1;
            if (dst_dims_ != src_dims_) return;
            if (volume(src_dims_) == 1) src_dims_.back() = 5;
        }
    }

    std::vector<double> src_values(size_t count) {
        if (alg_ == dnnl_reduction_mul && !is_integer(src_type_)) {
            const double most = random_.chance(0.5) ? 0.3 : 60. / static_cast<double>(count);
            return random_values(
                    random_, count, src_type_, 1 - std::min(most, 0.25), 1 + std::min(most, 0.3));
        }
        if (alg_ == dnnl_reduction_mul) {
            std::vector<double> values(count, 1);
            for (double &value : values)
                if (random_.chance(0.02)) value = 2;
            return values;
        }
        const double reach = random_.pick({1., 5., 120.});
        auto values = random_values(random_, count, src_type_, -reach, reach);
        const bool picks = alg_ == dnnl_reduction_max || alg_ == dnnl_reduction_min;
        if (picks && random_.chance(0.1) && !is_integer(src_type_))
            values[static_cast<size_t>(random_.below(int64_t(count)))] =
                    random_.pick({std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()});
        return values;
    }

    void add(terms_t &terms, double x) const {
        const long double term = is_norm(alg_) ? std::pow(std::fabs(static_cast<long double>(x)),
                                         static_cast<long double>(p_))
                                               : static_cast<long double>(x);
        terms.sum += term;
        terms.size += std::fabs(term);
        terms.product *= static_cast<long double>(x);
        (std::fabs(x) > 1 ? terms.most : terms.least_product) *=
                std::fabs(static_cast<long double>(x));
        const auto choose = [&](double &best, bool is_better) {
            if (std::isnan(x) || (!std::isnan(best) && is_better)) best = x;
        };
        choose(terms.greatest, x > terms.greatest);
        choose(terms.least, x < terms.least);
    }

    /// The interface promises no order of the terms: what some order gives is right. A
    /// product whose terms overflow or vanish in f32 in one order and not in another may be
    /// anything, NaN (infinity times 0) included.
    interval_t result(const terms_t &terms, long double count) const {
        const long double unit = arithmetic_roundoff({src_type_, dst_type_});
        const bool are_squares =
                is_norm(alg_) && p_ == 2 && squares_are_exact(unit_roundoff(src_type_), unit);
        const long double roundoff = unit * roundings_of_sum(count, repeats_ || are_squares);
        const auto total = interval_t::around(terms.sum, roundoff * terms.size);
        const auto epsilon = static_cast<long double>(epsilon_);
        const auto root = [&](const interval_t &x) {
            const auto of = x.map([&](long double v) {
                return std::pow(std::fmax(v, 0), 1 / static_cast<long double>(p_));
            });
            return of.widened(4 * unit * of.value);
        };
        const auto at_least = total.map([&](long double v) { return v < epsilon ? epsilon : v; });
        const auto plus = total.map([&](long double v) {
                                   return v + epsilon;
                               }).widened(2 * unit * (std::fabs(terms.sum) + epsilon));
        switch (alg_) {
        case dnnl_reduction_max: return interval_t::exactly(terms.greatest);
        case dnnl_reduction_min: return interval_t::exactly(terms.least);
        case dnnl_reduction_sum: return total;
        case dnnl_reduction_mul: // in any order: f32 may overflow or vanish before the end
            if (terms.most > 0x1p127L ? terms.least_product < 1
                                      : terms.least_product < 0x1p-126L && terms.most > 1)
                return anything();
            return interval_t::around(terms.product, count * 2 * unit * std::fabs(terms.product));
        case dnnl_reduction_mean:
            return total.map([&](long double v) { return v / count; })
                    .widened(2 * unit * std::fabs(terms.sum / count));
        case dnnl_reduction_norm_lp_max: return root(at_least);
        case dnnl_reduction_norm_lp_sum: return root(plus);
        case dnnl_reduction_norm_lp_power_p_max: return at_least;
        default: return plus;
        }
    }

    std::vector<interval_t> results(const std::vector<double> &src) const {
        std::vector<terms_t> terms(static_cast<size_t>(volume(dst_dims_)));
        size_t next = 0;
        const auto walk = [&](const auto &self, size_t axis, int64_t index) -> void {
            if (axis == src_dims_.size())
                return add(terms[static_cast<size_t>(index)], src[next++]);
            for (int64_t i = 0; i < src_dims_[axis]; ++i)
                self(self, axis + 1, dst_dims_[axis] == 1 ? index : index * dst_dims_[axis] + i);
        };
        walk(walk, 0, 0);
        const auto count = static_cast<long double>(src.size() / terms.size());
        std::vector<interval_t> results;
        for (const terms_t &each : terms) results.push_back(result(each, count));
        return results;
    }

    random_t &random_;
    regions_t &regions_;
    std::unique_ptr<problem_t> problem_;
    const dnnl_alg_kind_t alg_;
    const float p_, epsilon_;
    const dnnl_data_type_t src_type_, dst_type_;
    const style_t style_ = random_style(random_);
    dims_t src_dims_, dst_dims_;
    bool repeats_ = false;
};

} // namespace

std::unique_ptr<problem_t> make_reduction(random_t &random, regions_t &regions) {
    return reduction_maker_t(random, regions).make();
}

} // namespace kiln::test::differential
