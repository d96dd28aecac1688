// SPDX-License-Identifier: Apache-2.0
// The bnorm driver: its knobs and its descriptors.

#include "bnorm/problem.hpp"

namespace benchdnn::bnorm {

namespace {

struct settings_t : shared_settings_t {
    std::string check_alg = spec_t().check_alg;
    bool debug_check_ws = false;
};

std::string parse_check_alg(const std::string &text) {
    const std::string name = lowercase(text);
    const std::vector<std::string> known{"alg_0", "alg_1", "alg_2", "alg_auto"};
    for (const std::string &one : known)
        if (name == one) return name;
    throw bad_value_t(text, "", known);
}

// The position of src for oneDNN's names of fill algorithms.
std::optional<normalization::src_kind_t::position_t> position_of(const std::string &check_alg) {
    using position_t = normalization::src_kind_t::position_t;
    if (check_alg == "alg_0") return position_t::exact_about_zero;
    if (check_alg == "alg_1") return position_t::exact;
    if (check_alg == "alg_2") return position_t::far_off_zero;
    return std::nullopt;
}

class bnorm_driver_t final
    : public normalization::normalization_driver_t<spec_t, bnorm_problem_t, settings_t> {
public:
    bnorm_driver_t();

    std::string name() const override { return "bnorm"; }
    std::string descriptor_help() const override {
        return "mbXicXidXihXiwXepsFnNAME with optional pieces: mb64ic512ih28n\"res3\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override;
};

bnorm_driver_t::bnorm_driver_t() {
    add_common_knobs(normalization::types_t::one_for_both, "GCHRA");
    normalization::add_images_knob(
            knobs_, values_by(order_t::before_attributes, dim_t(0), normalization::set_images));
    knobs_.add({"check-alg", "alg_0, alg_1, alg_2, alg_auto",
            "Values of src: around zero with exact sums, around any value with exact sums, with a "
            "mean\n"
            "      far from zero; alg_auto: one of them, chosen by the problem.",
            "--check-alg=alg_1",
            [this](const std::string &text) { settings_.check_alg = parse_check_alg(text); }});
    knobs_.add({"debug-check-ws", "true, false",
            "Accepted without an effect: a mask is always checked, by the gradients.",
            "--debug-check-ws=true",
            [this](const std::string &text) { settings_.debug_check_ws = parse_bool(text); }});
    add_shared_knobs(knobs_, settings_);
}

spec_t bnorm_driver_t::parse(const std::string &descriptor) const {
    spec_t spec;
    spec.shape = normalization::parse_channel_shape(descriptor, false);
    spec.check_alg = settings_.check_alg;
    spec.position = position_of(settings_.check_alg);
    spec.debug_check_ws = settings_.debug_check_ws;
    return spec;
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<bnorm_driver_t>(); }

} // namespace benchdnn::bnorm
