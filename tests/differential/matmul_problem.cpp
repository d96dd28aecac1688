// SPDX-License-Identifier: Apache-2.0
// Matrix multiplications: batches, bias, scales and zero points of tensors, axes and groups,
// compressed weights.
#include <algorithm>

#include "differential/layouts.hpp"
#include "differential/product_maker.hpp"
#include "support/data_type.hpp"
#include "support/implementations.hpp"
#include "support/roundings.hpp"

namespace kiln::test::differential {
namespace {

class matmul_maker_t : product_maker_t {
public:
    using product_maker_t::product_maker_t;

    std::unique_ptr<problem_t> make() {
        problem_->operation = "matmul";
        choose_types();
        choose_dims();
        choose_quantities();
        auto src = layout(src_dims_, types_.src, true),
             weights = layout(weights_dims_, types_.weights, true);
        auto dst = layout(dst_dims_, types_.dst, false);
        if (random_.chance(0.3)) weights = make_desc(weights_dims_, types_.weights, "any");
        memory_desc_handle_t bias;
        if (has_bias_) bias = layout(bias_dims_, bias_type_, true);
        chain_t chain(random_, dst_dims_, types_.dst, {.may_sum = true});
        const attr_handle_t attr = make_attributes(chain);
        problem_->text = "matmul " + to_text(src) + " by " + dnnl_dt2str(types_.weights) + " "
                         + to_string(weights_dims_) + " to " + to_text(dst) + texts(chain);
        describe(src, weights, bias, dst, attr);
        // All implementations then get the layout that the first one chose.
        weights = clone_desc(chosen_desc(problem_->pd, DNNL_ARG_WEIGHTS));
        describe(src, weights, bias, dst, attr);
        problem_->text = "matmul " + to_text(src) + " by " + to_text(weights) + " to "
                         + to_text(dst) + (has_bias_ ? " bias " + to_text(bias) : "")
                         + texts(chain);
        add_operands(chain);
        return std::move(problem_);
    }

private:
    void choose_types() {
        const double kind = random_.between(0, 1);
        if (kind < 0.45)
            types_ = float_types(random_);
        else if (kind < 0.75)
            types_ = integer_types(random_);
        else if (kind < 0.8)
            types_ = {dnnl_f64, dnnl_f64, dnnl_f64};
        else {
            decompresses_ = true;
            fpmath_ = random_.pick(
                    {dnnl_fpmath_mode_f16, dnnl_fpmath_mode_bf16, dnnl_fpmath_mode_any});
            types_.src = random_.pick({dnnl_f32, dnnl_bf16, dnnl_f16});
            types_.weights = random_.pick({dnnl_s8, dnnl_u8, dnnl_s4, dnnl_u4});
            types_.dst = random_.pick({types_.src, dnnl_f32});
        }
        if (is_integer(types_.src) && random_.chance(0.2))
            types_.weights = random_.pick({dnnl_u8, dnnl_s4, dnnl_u4});
        roundoff_ = arithmetic_roundoff({types_.src});
    }

    void choose_dims() {
        int64_t m = random_extent(random_, 130), n = random_extent(random_, 130);
        int64_t k = random_extent(random_, 260);
        if (random_.chance(0.05)) { // several blocks of K
            k = 1000 + random_.below(3000);
            m = 1 + random_.below(6);
            n = std::min<int64_t>(n, 20);
        }
        while (m * n * k > 150000) (m >= n && m >= k ? m : n >= k ? n : k) /= 2;
        src_dims_ = {m, k};
        weights_dims_ = {k, n};
        dst_dims_ = {m, n};
        for (int64_t axes = random_.pick({0, 0, 0, 0, 1, 1, 1, 2, 3}); axes > 0; --axes) {
            const int64_t most = 400000 / (m * n * k) + 1;
            const int64_t extent =
                    1 + random_.below(std::clamp<int64_t>(most / volume(dst_dims_) * m * n, 1, 4));
            const double kind = random_.between(0, 1);
            src_dims_.insert(src_dims_.begin(), kind < 0.2 ? 1 : extent);
            weights_dims_.insert(weights_dims_.begin(), kind >= 0.2 && kind < 0.6 ? 1 : extent);
            dst_dims_.insert(dst_dims_.begin(), extent);
        }
        has_bias_ = random_.chance(0.4);
        bias_dims_ = dst_dims_;
        for (size_t d = 0; d < bias_dims_.size(); ++d)
            if (random_.chance(d + 1 == bias_dims_.size() ? 0.2 : 0.8)) bias_dims_[d] = 1;
        bias_type_ = is_integer(types_.src)
                             ? random_.pick({dnnl_s32, dnnl_f32, dnnl_s8, dnnl_u8, dnnl_bf16})
                     : types_.src == dnnl_f64 ? dnnl_f64
                                              : random_.pick({dnnl_f32, dnnl_f32, types_.src});
    }

    void choose_quantities() {
        const auto axes = static_cast<int>(dst_dims_.size());
        const int all = (1 << axes) - 1, last = 1 << (axes - 1), rows = 1 << (axes - 2);
        const auto scale = [&](int arg, int mask) {
            const auto type = random_.pick({dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f16});
            quantities_.push_back({DNNL_ARG_ATTR_SCALES, arg, mask, type});
        };
        const auto zero_point = [&](int arg, int mask) {
            const auto type =
                    arg == DNNL_ARG_DST ? dnnl_s32 : random_.pick({dnnl_s32, dnnl_s8, dnnl_u8});
            quantities_.push_back({DNNL_ARG_ATTR_ZERO_POINTS, arg, mask, type});
        };
        const bool has_integers = is_integer(types_.src);
        if (types_.src == dnnl_f64 || random_.chance(0.3)) return;
        if (random_.chance(0.25)) scale(DNNL_ARG_SRC, random_.pick({0, 0, rows, last, all}));
        if (random_.chance(decompresses_ ? 0.8 : 0.3)) {
            scale(DNNL_ARG_WEIGHTS, random_.pick({0, last, last, last | rows, all}));
            add_groups(rows | last);
        }
        if (random_.chance(0.25)) scale(DNNL_ARG_DST, random_.pick({0, 0, last, all}));
        if (has_integers && random_.chance(0.25))
            zero_point(DNNL_ARG_SRC, random_.pick({0, 0, last}));
        if ((has_integers || decompresses_) && random_.chance(0.25)) {
            zero_point(DNNL_ARG_WEIGHTS, random_.pick({0, last, last | rows}));
            add_groups(rows | last);
        }
        if (has_integers && random_.chance(0.25))
            zero_point(DNNL_ARG_DST, random_.pick({0, 0, last}));
        for (quantity_t &each : quantities_)
            if (each.mask == 0 && random_.chance(0.15)) each.is_on_host = true;
    }

    /// Groups along K of the quantities of weights that were added last.
    void add_groups(int last_axes) {
        quantity_t &weights = quantities_.back();
        if ((weights.mask & last_axes) != last_axes || random_.chance(0.3)) return;
        int64_t group = random_.pick({1, 2, 8, 16, 32, 64});
        while (src_dims_.back() % group != 0) group /= 2;
        weights.groups = {group, 1};
    }

    attr_handle_t make_attributes(const chain_t &chain) const {
        attr_handle_t attr = make_attr();
        for (const quantity_t &each : quantities_) each.set(attr);
        if (decompresses_)
            require(dnnl_primitive_attr_set_fpmath_mode_v2(attr, fpmath_, 1), "fpmath");
        chain.set(attr);
        return attr;
    }

    std::string texts(const chain_t &chain) const {
        std::string text;
        for (const quantity_t &each : quantities_) text += each.text();
        if (decompresses_) text += std::string(" fpmath ") + dnnl_fpmath_mode2str(fpmath_);
        return text + chain.text();
    }

    void describe(const memory_desc_handle_t &src, const memory_desc_handle_t &weights,
            const memory_desc_handle_t &bias, const memory_desc_handle_t &dst,
            const attr_handle_t &attr) {
        require(dnnl_matmul_primitive_desc_create(
                        problem_->pd.out(), cpu_engine(), src, weights, bias, dst, attr),
                problem_->text + " is refused");
    }

    void add_operands(chain_t &chain) {
        operand_t &src = add_input(DNNL_ARG_SRC, "src");
        operand_t &weights = add_input(DNNL_ARG_WEIGHTS, "weights");
        operand_t *bias = has_bias_ ? &add_input(DNNL_ARG_BIAS, "bias") : nullptr;
        operand_t &dst = add_dst(types_.dst, chain);
        add_quantities(quantities_);
        chain.add_operands(problem_->inputs, problem_->pd, regions_, random_);
        finish(dst, products(src, weights), bias, quantities_, chain);
    }

    bool has_weights_values() const {
        return std::any_of(quantities_.begin(), quantities_.end(),
                [](const quantity_t &each) { return each.arg == DNNL_ARG_WEIGHTS; });
    }

    std::vector<interval_t> products(const operand_t &src, const operand_t &weights) const {
        const auto a = factors(src, quantities_), b = factors(weights, quantities_);
        const size_t last = dst_dims_.size() - 1;
        const int64_t k = src_dims_[last], n = dst_dims_[last];
        const bool has_scales = std::any_of(quantities_.begin(), quantities_.end(),
                [](const quantity_t &each) { return each.is_scale() && each.arg != DNNL_ARG_DST; });
        // These modes allow that f32 is rounded to bf16, and that weights are, with their scales
        // and zero points.
        const bool rounds = decompresses_ && fpmath_ != dnnl_fpmath_mode_f16;
        const int rounded = (rounds && types_.src == dnnl_f32) + (rounds && has_weights_values());
        std::vector<interval_t> results;
        for_each(dst_dims_, [&](const dims_t &index) {
            dims_t at_src = index, at_weights = index;
            for (size_t d = 0; d + 1 < last; ++d) {
                if (src_dims_[d] == 1) at_src[d] = 0;
                if (weights_dims_[d] == 1) at_weights[d] = 0;
            }
            at_src[last] = at_weights[last - 1] = 0;
            const size_t first_a = place(at_src, src_dims_, src_dims_);
            const size_t first_b = place(at_weights, weights_dims_, weights_dims_);
            product_sum_t sum;
            for (int64_t i = 0; i < k; ++i)
                sum.add(a[first_a + static_cast<size_t>(i)],
                        b[first_b + static_cast<size_t>(i * n)]);
            interval_t value =
                    sum.interval(k, is_integer(types_.src) && !has_scales, repeats_, roundoff_);
            if (has_scales) value = value.widened(3 * roundoff_ * sum.size);
            if (rounded != 0)
                value = value.widened(error_of_rounded_factors(
                        rounded, bf16_roundoff, sum.squares, sum.size, repeats_));
            results.push_back(value);
        });
        return results;
    }

    product_types_t types_;
    bool decompresses_ = false, has_bias_ = false;
    dnnl_fpmath_mode_t fpmath_ = dnnl_fpmath_mode_strict;
    dnnl_data_type_t bias_type_ = dnnl_f32;
    dims_t src_dims_, weights_dims_, dst_dims_, bias_dims_;
    quantities_t quantities_;
};

} // namespace

std::unique_ptr<problem_t> make_matmul(random_t &random, regions_t &regions) {
    return matmul_maker_t(random, regions).make();
}

} // namespace kiln::test::differential
