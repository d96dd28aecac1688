// SPDX-License-Identifier: Apache-2.0
// Layer, batch and group normalization, forward and backward.
#include <algorithm>
#include <optional>

#include "differential/layouts.hpp"
#include "differential/problem.hpp"
#include "differential/random_normalization.hpp"
#include "normalization/model.hpp"
#include "normalization/problem.hpp"
#include "support/data_type.hpp"
#include "support/scale_attr.hpp"

namespace kiln::test::differential {
namespace {

namespace norm = test::normalization;

class normalization_maker_t {
public:
    normalization_maker_t(random_t &random, regions_t &regions)
        : random_(random)
        , regions_(regions)
        , problem_(std::make_unique<problem_t>()) {}

    std::unique_ptr<problem_t> make() {
        choose_layouts();
        attr_ = make_attributes();
        create();
        describe();
        add_data();
        add_statistics();
        add_weights();
        add_scales();
        if (chain_) chain_->add_operands(problem_->inputs, problem_->pd, regions_, random_);
        if (what_.is_forward())
            add_forward_truth();
        else
            add_backward_truth();
        return std::move(problem_);
    }

private:
    void choose_layouts() {
        src_ = random_layout(
                random_, what_.dims, what_.src_type, {.style = style_, .may_repeat = true});
        const dnnl_data_type_t output_type =
                what_.is_forward() ? what_.dst_type : what_.diff_src_type;
        const dnnl_data_type_t input_type = what_.is_forward() ? what_.src_type : what_.dst_type;
        const bool is_add = what_.has(norm::add_relu) && !what_.is_forward();
        if (!what_.is_forward())
            diff_dst_ = random_layout(random_, what_.dims, what_.dst_type,
                    {.style = style_, .may_be_open = true, .may_repeat = !is_add});
        is_in_place_ = random_.chance(0.15) && output_type == input_type;
        if (is_in_place_) {
            if (what_.is_forward())
                src_ = random_layout(random_, what_.dims, what_.src_type, {.style = style_});
            if (!what_.is_forward())
                diff_dst_ = random_layout(random_, what_.dims, what_.dst_type, {.style = style_});
            output_ = clone_desc(what_.is_forward() ? src_ : diff_dst_);
        } else {
            output_ = random_layout(
                    random_, what_.dims, output_type, {.style = style_, .may_be_open = true});
        }
        if (what_.is_layer())
            stat_ = random_layout(random_, what_.stat_dims(), what_.stat_type,
                    {.style = style_, .may_be_open = true});
    }

    attr_handle_t make_attributes() {
        attr_handle_t attr = make_attr();
        if (random_.chance(0.2))
            require(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user),
                    "dnnl_primitive_attr_set_scratchpad_mode");
        if (!what_.is_forward()) return attr;
        const bool is_batch = what_.operation == norm::operation_t::batch;
        chain_.emplace(random_, what_.dims, what_.dst_type,
                chain_rules_t{.style = style_, .may_be_binary = !is_batch});
        chain_->set(attr);
        if (is_batch || (!is_integer(what_.src_type) && !is_integer(what_.dst_type))) return attr;
        const auto choose = [&](std::optional<scale_attr_t> &scale, int arg) {
            if (!random_.chance(0.5)) return;
            scale = scale_attr_t{random_.between(0.25, 2),
                    random_.pick({dnnl_f32, dnnl_f32, dnnl_bf16}), random_.chance(0.2)};
            set_scale(attr, arg, scale);
        };
        choose(src_scale_, DNNL_ARG_SRC);
        choose(dst_scale_, DNNL_ARG_DST);
        return attr;
    }

    norm::direction_t direction() const {
        return what_.is_forward() ? norm::direction_t::forward : norm::direction_t::backward;
    }

    void create() {
        if (!what_.is_forward() && !what_.is_layer() && (what_.has_relu() || random_.chance(0.5)))
            create_hint();
        const norm::descs_t descs{src_, what_.is_forward() ? output_ : diff_dst_, output_, stat_};
        const auto status = norm::create_from(
                problem_->pd.out(), cpu_engine(), direction(), what_, descs, attr_, hint_);
        if (status != dnnl_success) {
            describe();
            throw std::runtime_error(problem_->text + " is refused");
        }
    }

    /// Forward by an implementation of its list.
    void create_hint() {
        norm::problem_t forward = what_;
        forward.prop_kind = dnnl_forward_training;
        const auto dst = make_desc(what_.dims, what_.src_type, "any");
        require(norm::create_from(hint_.out(), cpu_engine(), norm::direction_t::forward, forward,
                        {src_, dst, nullptr, nullptr}),
                "the hint is refused");
        const auto count = random_.below(3);
        for (int64_t i = 0; i < count; ++i) {
            primitive_desc_handle_t next;
            require(dnnl_primitive_desc_clone(next.out(), hint_), "dnnl_primitive_desc_clone");
            if (dnnl_primitive_desc_next_impl(next) == dnnl_success) hint_ = std::move(next);
        }
    }

    void describe() {
        problem_->operation =
                norm::to_string(what_.operation) + (what_.is_forward() ? "_fwd" : "_bwd");
        problem_->text = norm::to_string(what_) + " epsilon " + std::to_string(what_.epsilon)
                         + ": src " + to_text(src_);
        const auto add = [&](const char *name, const_dnnl_memory_desc_t desc) {
            if (desc == nullptr) return;
            dnnl_format_kind_t kind;
            dnnl_memory_desc_query(desc, dnnl_query_format_kind, &kind);
            problem_->text +=
                    std::string(", ") + name + " " + (kind == dnnl_blocked ? to_text(desc) : "any");
        };
        add(what_.is_forward() ? "dst" : "diff_src", output_);
        add("diff_dst", diff_dst_);
        add("stat", stat_);
        if (is_in_place_) problem_->text += ", in place";
        if (chain_) problem_->text += chain_->text();
        if (src_scale_) problem_->text += " src_scale";
        if (dst_scale_) problem_->text += " dst_scale";
    }

    operand_t &add_input(int arg, const std::string &name) {
        return problem_->add_input(arg, name, regions_, random_);
    }
    operand_t &add_output(int arg, const std::string &name) {
        return problem_->add_output(arg, name, regions_, random_);
    }

    // Each set of elements with common statistics has its own range.
    std::vector<double> src_values() {
        const auto data = random_.pick({data_t::ordinary, data_t::ordinary, data_t::ordinary,
                data_t::ordinary, data_t::large_mean, data_t::constant});
        std::vector<double> values;
        for (int64_t i = 0; i < volume(what_.dims); ++i) {
            const range_t range = range_of_set(data, what_.src_type, what_.set_of(i));
            values.push_back(random_.between(range.low, range.high));
        }
        return values;
    }

    void add_data() {
        operand_t &src = add_input(DNNL_ARG_SRC, "src");
        src.fill(src_values());
        operands_.src = src.values();
        if (what_.is_forward() && what_.has(norm::add_relu)) {
            operand_t &added = add_input(DNNL_ARG_SRC_1, "src_1");
            const double reach = is_integer(what_.dst_type) ? 60 : 1.5;
            added.fill(random_values(random_, added.elements(), added.type(), -reach, reach));
            operands_.added = added.values();
        }
        operand_t *overwritten = &src;
        if (!what_.is_forward()) {
            operand_t &diff_dst = add_input(DNNL_ARG_DIFF_DST, "diff_dst");
            diff_dst.fill(random_values(random_, diff_dst.elements(), diff_dst.type(), -1.5, 2));
            gradient_.diff_dst = diff_dst.values();
            overwritten = &diff_dst;
        }
        const int output_arg = what_.is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
        if (is_in_place_) {
            problem_->in_place.emplace_back(output_arg, overwritten);
            output_operand_ = overwritten;
        } else {
            output_operand_ = &add_output(output_arg, what_.is_forward() ? "dst" : "diff_src");
        }
        if (what_.is_forward() && what_.has_mask())
            workspace_ = &add_output(DNNL_ARG_WORKSPACE, "workspace");
        if (!what_.is_forward() && what_.has(norm::add_relu))
            diff_added_ = &add_output(DNNL_ARG_DIFF_SRC_1, "diff_src_1");
    }

    void fill_model() {
        for (int64_t i = 0; i < volume(what_.dims); ++i) {
            operands_.set_of.push_back(static_cast<uint32_t>(what_.set_of(i)));
            operands_.weight_of.push_back(static_cast<uint32_t>(what_.weight_of(i)));
        }
        operands_.sets = static_cast<size_t>(what_.sets());
        operands_.weights = static_cast<size_t>(what_.weights());
        operands_.epsilon = static_cast<double>(what_.epsilon);
        operands_.subtracts_mean = what_.has_mean();
        operands_.has_relu = what_.has_relu();
        const bool is_f64 = what_.compute_roundoff() < 0x1p-40 && (!chain_ || chain_->empty());
        operands_.compute_roundoff = is_f64 ? 0x1p-53 : 0x1p-24;
        operands_.repeats = is_f64 || repeats(problem_->inputs.front().desc())
                            || (!what_.is_forward() && repeats(problem_->inputs[1].desc()));
        operands_.stat_roundoff =
                std::max(unit_roundoff(what_.stat_type), operands_.compute_roundoff);
        // Values are uniform: hardly any is sqrt(3) deviations from the mean.
        operands_.square_sum_size = 4;
    }

    void add_statistics() {
        fill_model();
        if (what_.writes_stats()) {
            if (what_.has_mean()) mean_ = &add_output(DNNL_ARG_MEAN, "mean");
            variance_ = &add_output(DNNL_ARG_VARIANCE, "variance");
        }
        if (!what_.reads_stats()) return;
        std::vector<double> means, variances;
        if (what_.has(norm::global_stats)) {
            const bool is_large = is_integer(what_.src_type);
            const auto count = operands_.sets;
            means = random_values(random_, count, dnnl_f32, is_large ? -20 : -1, is_large ? 20 : 1);
            variances = random_values(
                    random_, count, dnnl_f32, is_large ? 1000 : 0.25, is_large ? 6000 : 3);
        } else {
            const auto truth = norm::statistics_of(operands_);
            for (const auto &mean : truth.mean) means.push_back(static_cast<double>(mean.value));
            for (const auto &variance : truth.variance)
                variances.push_back(static_cast<double>(variance.value));
        }
        if (what_.has_mean()) {
            operand_t &mean = add_input(DNNL_ARG_MEAN, "mean");
            mean.fill(means);
            operands_.mean = mean.values();
        }
        operand_t &variance = add_input(DNNL_ARG_VARIANCE, "variance");
        variance.fill(variances);
        operands_.variance = variance.values();
    }

    void add_weights() {
        const bool is_large = is_integer(what_.dst_type);
        const double reach = is_large ? 60 : 2;
        const auto add = [&](int arg, const char *name, std::vector<double> &model) {
            operand_t &operand = add_input(arg, name);
            operand.fill(random_values(random_, operand.elements(), operand.type(), -reach, reach));
            model = operand.values();
        };
        if (what_.has(norm::scale)) add(DNNL_ARG_SCALE, "scale", operands_.scale);
        if (what_.has(norm::shift) && what_.is_forward())
            add(DNNL_ARG_SHIFT, "shift", operands_.shift);
        if (!what_.writes_weights()) return;
        // Gradients that are not asked for are not computed.
        if (what_.has(norm::scale) && random_.chance(0.9))
            diff_scale_ = &add_output(DNNL_ARG_DIFF_SCALE, "diff_scale");
        if (what_.has(norm::shift) && random_.chance(0.9))
            diff_shift_ = &add_output(DNNL_ARG_DIFF_SHIFT, "diff_shift");
    }

    void add_scales() {
        const auto add = [&](std::optional<scale_attr_t> &scale, int arg) {
            if (!scale) return;
            if (scale->is_on_host)
                problem_->host_scalars.emplace_back(
                        DNNL_ARG_ATTR_SCALES | arg, make_host_scalar(scale->type, scale->value));
            else
                add_input(DNNL_ARG_ATTR_SCALES | arg, "a scale").fill({scale->value});
        };
        add(src_scale_, DNNL_ARG_SRC);
        add(dst_scale_, DNNL_ARG_DST);
    }

    void expect(const operand_t *operand, std::vector<interval_t> values) {
        if (operand) problem_->truths.push_back({operand, std::move(values)});
    }

    void add_forward_truth() {
        auto truth = norm::forward_truth(operands_);
        expect(mean_, truth.mean);
        expect(variance_, truth.variance);
        expect(workspace_, {});
        const auto multiply = [&](long double by) {
            for (interval_t &value : truth.dst) {
                if (is_anything(value)) continue;
                const auto product = value.map([&](long double x) { return x * by; });
                value = product.widened(2 * operands_.compute_roundoff * product.size());
            }
        };
        if (src_scale_) multiply(factor_of(src_scale_));
        if (chain_) chain_->apply(truth.dst, {});
        if (dst_scale_) multiply(1 / factor_of(dst_scale_));
        expect(output_operand_, std::move(truth.dst));
    }

    void add_backward_truth() {
        gradient_.has_constant_stats = what_.has(norm::global_stats);
        if (what_.has_relu()) add_mask();
        auto truth = norm::backward_truth(operands_, gradient_);
        expect(output_operand_, std::move(truth.diff_src));
        expect(diff_added_, std::move(truth.diff_added));
        expect(diff_scale_, std::move(truth.diff_scale));
        expect(diff_shift_, std::move(truth.diff_shift));
    }

    /// Executes forward, which writes the mask, and sees by its dst which elements pass.
    void add_mask() {
        std::deque<operand_t> forward;
        std::vector<dnnl_exec_arg_t> args;
        const auto add = [&](int arg, const std::vector<double> *values) -> operand_t & {
            const auto *desc = dnnl_primitive_desc_query_md(hint_, dnnl_query_exec_arg_md, arg);
            operand_t &operand = forward.emplace_back(arg, "forward", desc, regions_, random_);
            if (values) operand.fill(*values);
            args.push_back({arg, operand.memory()});
            return operand;
        };
        const std::vector<double> added =
                random_values(random_, operands_.src.size(), what_.src_type, -1.5, 1.5);
        const std::vector<double> shift =
                random_values(random_, operands_.weights, dnnl_f32, -1, 1);
        add(DNNL_ARG_SRC, &operands_.src);
        const operand_t &dst = add(DNNL_ARG_DST, nullptr);
        const operand_t &mask = add(DNNL_ARG_WORKSPACE, nullptr);
        if (what_.has(norm::add_relu)) add(DNNL_ARG_SRC_1, &added);
        const bool reads = what_.has(norm::global_stats);
        add(DNNL_ARG_MEAN, reads ? &operands_.mean : nullptr);
        add(DNNL_ARG_VARIANCE, reads ? &operands_.variance : nullptr);
        if (what_.has(norm::scale)) add(DNNL_ARG_SCALE, &operands_.scale);
        if (what_.has(norm::shift)) add(DNNL_ARG_SHIFT, &shift);
        require(dnnl_primitive_execute(make_primitive(hint_), cpu_stream(),
                        static_cast<int>(args.size()), args.data()),
                "forward");
        for (const double value : dst.values()) gradient_.passes.push_back(value != 0);
        add_input(DNNL_ARG_WORKSPACE, "workspace").copy(mask);
    }

    random_t &random_;
    regions_t &regions_;
    std::unique_ptr<problem_t> problem_;
    const norm::problem_t what_ = random_normalization(random_); // parameters and types
    const style_t style_ = random_style(random_);
    memory_desc_handle_t src_, output_, diff_dst_, stat_;
    attr_handle_t attr_;
    primitive_desc_handle_t hint_;
    bool is_in_place_ = false;
    std::optional<chain_t> chain_;
    std::optional<scale_attr_t> src_scale_, dst_scale_;
    norm::operands_t operands_{};
    norm::gradient_t gradient_{};
    const operand_t *output_operand_ = nullptr, *workspace_ = nullptr, *diff_added_ = nullptr;
    const operand_t *mean_ = nullptr, *variance_ = nullptr;
    const operand_t *diff_scale_ = nullptr, *diff_shift_ = nullptr;
};

} // namespace

std::unique_ptr<problem_t> make_normalization(random_t &random, regions_t &regions) {
    return normalization_maker_t(random, regions).make();
}

} // namespace kiln::test::differential
