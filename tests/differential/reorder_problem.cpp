// SPDX-License-Identifier: Apache-2.0
// Reorders: dst = post_ops(src_scale * (src - src_zero_point)) / dst_scale + dst_zero_point.
#include <cmath>
#include <limits>
#include <optional>

#include "differential/layouts.hpp"
#include "differential/problem.hpp"
#include "support/data_type.hpp"
#include "support/implementations.hpp"

namespace kiln::test::differential {
namespace {

constexpr dnnl_data_type_t types[] = {dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s32,
        dnnl_s8, dnnl_u8, dnnl_f8_e5m2, dnnl_f8_e4m3};

/// Scales or zero points of one argument.
struct quantization_t {
    int mask;
    dnnl_data_type_t type;
    const operand_t *operand = nullptr;
};

class reorder_maker_t {
public:
    reorder_maker_t(random_t &random, regions_t &regions)
        : random_(random)
        , regions_(regions)
        , problem_(std::make_unique<problem_t>())
        , dims_(random_dims(random,
                  static_cast<size_t>(random.pick({1, 2, 2, 3, 3, 4, 4, 4, 5, 6, 9})),
                  most_elements(random)))
        , src_type_(random.pick(types))
        , dst_type_(random.chance(0.3) ? src_type_ : random.pick(types)) {}

    std::unique_ptr<problem_t> make() {
        problem_->operation = "reorder";
        choose_attributes();
        choose_layouts();
        const attr_handle_t attr = make_attributes();
        problem_->text = "reorder " + to_text(src_) + " to " + to_text(dst_) + attributes_text();
        require(dnnl_reorder_primitive_desc_create(
                        problem_->pd.out(), src_, cpu_engine(), dst_, cpu_engine(), attr),
                "reorder is refused");
        add_operands();
        add_truth();
        return std::move(problem_);
    }

private:
    static int64_t most_elements(random_t &random) {
        return random.chance(0.01) ? 20000 : random.chance(0.1) ? 3000 : 600;
    }

    bool has_attributes() const {
        return src_scale_ || dst_scale_ || src_zero_point_ || dst_zero_point_
               || (chain_ && !chain_->empty());
    }

    void choose_attributes() {
        if (random_.chance(0.5)) return;
        const auto choose = [&](std::optional<quantization_t> &what, bool can, double chance,
                                    std::initializer_list<dnnl_data_type_t> values) {
            if (!can || !random_.chance(chance)) return;
            const auto axes = static_cast<int>(dims_.size());
            const int mask = random_.pick({0, 0, 1, axes > 1 ? 2 : 1, (1 << axes) - 1,
                    static_cast<int>(random_.below(int64_t(1) << axes))});
            what = quantization_t{mask, random_.pick(values)};
        };
        choose(src_scale_, true, 0.4, {dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f16});
        choose(dst_scale_, true, 0.4, {dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f16});
        choose(src_zero_point_, is_integer(src_type_), 0.3, {dnnl_s32, dnnl_s8, dnnl_u8});
        choose(dst_zero_point_, is_integer(dst_type_), 0.3, {dnnl_s32});
        chain_.emplace(random_, dims_, dst_type_, chain_rules_t{.style = style_, .may_sum = true});
    }

    void choose_layouts() {
        src_ = random_layout(random_, dims_, src_type_, {.style = style_, .may_repeat = true});
        is_in_place_ = random_.chance(0.08) && src_type_ == dst_type_;
        dst_ = is_in_place_ ? clone_desc(src_)
                            : random_layout(random_, dims_, dst_type_, {.style = style_});
        if (is_in_place_ && repeats(src_)) {
            is_in_place_ = false;
            dst_ = make_desc(dims_, dst_type_);
        }
    }

    attr_handle_t make_attributes() const {
        attr_handle_t attr = make_attr();
        const auto set_scale = [&](const std::optional<quantization_t> &scale, int arg) {
            if (scale)
                require(dnnl_primitive_attr_set_scales(
                                attr, arg, scale->mask, 0, nullptr, scale->type),
                        "dnnl_primitive_attr_set_scales");
        };
        const auto set_zero_point = [&](const std::optional<quantization_t> &point, int arg) {
            if (point)
                require(dnnl_primitive_attr_set_zero_points(
                                attr, arg, point->mask, 0, nullptr, point->type),
                        "dnnl_primitive_attr_set_zero_points");
        };
        set_scale(src_scale_, DNNL_ARG_FROM);
        set_scale(dst_scale_, DNNL_ARG_TO);
        set_zero_point(src_zero_point_, DNNL_ARG_FROM);
        set_zero_point(dst_zero_point_, DNNL_ARG_TO);
        if (chain_) chain_->set(attr);
        return attr;
    }

    std::string attributes_text() const {
        std::string text = is_in_place_ ? " in place" : "";
        const auto add = [&](const std::optional<quantization_t> &what, const char *name) {
            if (what)
                text += std::string(" ") + name + ":" + std::to_string(what->mask) + ":"
                        + dnnl_dt2str(what->type);
        };
        add(src_scale_, "src_scale");
        add(src_zero_point_, "src_zero_point");
        add(dst_scale_, "dst_scale");
        add(dst_zero_point_, "dst_zero_point");
        return text + (chain_ ? chain_->text() : "");
    }

    void add_operands() {
        operand_t &src = problem_->add_input(DNNL_ARG_FROM, "src", regions_, random_);
        src.fill(src_values(src.elements()));
        if (is_in_place_) {
            problem_->in_place.emplace_back(DNNL_ARG_TO, &src);
            dst_operand_ = &src;
        } else {
            operand_t &dst = problem_->add_output(DNNL_ARG_TO, "dst", regions_, random_);
            if (chain_ && chain_->has_sum())
                dst.fill(random_values(random_, dst.elements(), dst_type_, -9, 9));
            dst_operand_ = &dst;
        }
        const auto add = [&](std::optional<quantization_t> &what, int arg, bool is_scale) {
            if (!what) return;
            operand_t &operand = problem_->add_input(arg, "quantization", regions_, random_);
            operand.fill(is_scale
                                 ? random_values(random_, operand.elements(), what->type, 0.1, 4)
                                 : random_values(random_, operand.elements(), what->type, -20, 40));
            what->operand = &operand;
        };
        add(src_scale_, DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM, true);
        add(dst_scale_, DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO, true);
        add(src_zero_point_, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_FROM, false);
        add(dst_zero_point_, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_TO, false);
        if (chain_) chain_->add_operands(problem_->inputs, problem_->pd, regions_, random_);
    }

    /// Without arithmetic: all that conversions have rules for.
    std::vector<double> src_values(size_t count) {
        const double reach = random_.pick({3., 100., 300., 1e5, 4e9});
        auto values = random_values(random_, count, src_type_, -reach, reach);
        if (has_attributes()) {
            if (reach > 300) values = random_values(random_, count, src_type_, -300, 300);
            return values;
        }
        constexpr double infinity = std::numeric_limits<double>::infinity();
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        if (random_.chance(0.3))
            for (double &value : values)
                if (random_.chance(0.2))
                    value = random_.pick(
                            {0., -0., 0.5, 1.5, -2.5, 127.5, -128.5, 255.5, 1e-40, 65519., 65520.,
                                    2147483647., -2147483648., 1e39, infinity, -infinity, nan});
        return values;
    }

    /// The value that belongs to each element.
    std::vector<double> values_of(const std::optional<quantization_t> &what, double neutral) const {
        std::vector<double> result;
        const std::vector<double> values =
                what ? what->operand->values() : std::vector<double>{neutral};
        const int mask = what ? what->mask : 0;
        const auto walk = [&](const auto &self, size_t axis, int64_t index) -> void {
            if (axis == dims_.size()) return result.push_back(values[static_cast<size_t>(index)]);
            const bool is_kept = mask >> axis & 1;
            for (int64_t i = 0; i < dims_[axis]; ++i)
                self(self, axis + 1, is_kept ? index * dims_[axis] + i : index);
        };
        walk(walk, 0, 0);
        return result;
    }

    void add_truth() {
        const auto src = problem_->inputs.front().values();
        std::vector<interval_t> values;
        for (const double value : src) values.push_back(interval_t::exactly(value));
        if (has_attributes()) compute(values);
        problem_->truths.push_back({dst_operand_, std::move(values)});
    }

    /// Each step may round to f32.
    void compute(std::vector<interval_t> &values) const {
        constexpr long double roundoff = 0x1p-24L;
        const auto step = [&](const std::optional<quantization_t> &what, const auto &function) {
            if (!what) return;
            const auto operands = values_of(what, 0);
            for (size_t i = 0; i < values.size(); ++i) {
                if (is_anything(values[i])) continue;
                const auto by = static_cast<long double>(operands[i]);
                const auto result = values[i].map([&](long double x) { return function(x, by); });
                values[i] = result.widened(2 * roundoff * result.size());
            }
        };
        if (src_type_ == dnnl_s32 || src_type_ == dnnl_f64)
            for (interval_t &value : values) value = value.widened(roundoff * value.size());
        step(src_zero_point_, [](long double x, long double by) { return x - by; });
        step(src_scale_, [](long double x, long double by) { return x * by; });
        if (chain_) chain_->apply(values, dst_operand_->values());
        step(dst_scale_, [](long double x, long double by) { return x / by; });
        step(dst_zero_point_, [](long double x, long double by) { return x + by; });
        // After post-ops, s32 saturates at the greatest float.
        if (dst_type_ == dnnl_s32)
            for (interval_t &value : values)
                if (std::fabs(value.value) > 0x1p30L) value = anything();
    }

    random_t &random_;
    regions_t &regions_;
    std::unique_ptr<problem_t> problem_;
    const dims_t dims_;
    const dnnl_data_type_t src_type_, dst_type_;
    const style_t style_ = random_style(random_);
    memory_desc_handle_t src_, dst_;
    bool is_in_place_ = false;
    std::optional<quantization_t> src_scale_, dst_scale_, src_zero_point_, dst_zero_point_;
    std::optional<chain_t> chain_;
    const operand_t *dst_operand_ = nullptr;
};

} // namespace

std::unique_ptr<problem_t> make_reorder(random_t &random, regions_t &regions) {
    return reorder_maker_t(random, regions).make();
}

} // namespace kiln::test::differential
