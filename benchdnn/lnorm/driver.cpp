// SPDX-License-Identifier: Apache-2.0
// The lnorm driver: its knobs and its descriptors.
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "lnorm/problem.hpp"

namespace benchdnn::lnorm {

namespace {

class lnorm_driver_t final : public normalization::normalization_driver_t<spec_t, lnorm_problem_t> {
public:
    lnorm_driver_t();

    std::string name() const override { return "lnorm"; }
    std::string descriptor_help() const override {
        return "dims joined by x, the last one normalized, and a name: 4096x768_n\"bert\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override {
        normalization_driver_t::require(spec, options);
        require_layout(spec.stat_tag, static_cast<int>(spec.row_dims.size()) - 1,
                options.enumerated_tags_only);
    }
    std::string csv_fields() const override { return "%dir%,%dt%,%tag%,%stat_tag%,%flags%,%eps%"; }
};

lnorm_driver_t::lnorm_driver_t() {
    std::vector<std::string> &stat_tag = values_of(&spec_t::stat_tag);
    std::vector<dnnl_data_type_t> &stat_type = values_of(&spec_t::stat_type);
    std::vector<dnnl_data_type_t> &scale_shift_type = values_of(&spec_t::scale_shift_type);
    add_common_knobs(normalization::types_t::pair, "GCHM");
    add_list(knobs_, stat_tag,
            {"stat_tag", "format tags, any or undef",
                    "Layout of mean and variance; undef passes no descriptor.",
                    "--stat_tag=any,axb", {}},
            parse_tag);
    add_list(knobs_, stat_type,
            {"stat_dt", "f32, bf16, f16; f64 for f64 data", "Data type of mean and variance.",
                    "--stat_dt=bf16", {}},
            parse_data_type);
    add_list(knobs_, scale_shift_type,
            {"ss_dt", "f32, bf16, f16", "Data type of scale and shift.", "--ss_dt=bf16", {}},
            parse_data_type);
    add_numbers(knobs_,
            values_by(order_t::before_attributes, spec_t().shape.epsilon,
                    [](spec_t &spec, float epsilon) { spec.shape.epsilon = epsilon; }),
            f32_from_0,
            {"eps", "",
                    "What is added to the variance. oneDNN's driver has no such knob and uses "
                    "1/16.",
                    "--eps=1e-5", {}});
    add_shared_knobs(knobs_, settings_);
}

spec_t lnorm_driver_t::parse(const std::string &descriptor) const {
    spec_t spec;
    const named_dims_t named = parse_named_dims(descriptor);
    const dim_t rows = product(dims_t(named.dims.begin(), named.dims.end() - 1));
    spec.row_dims = named.dims;
    spec.shape = {1, rows, 1, {named.dims.back()}, spec.shape.epsilon, named.name};
    return spec;
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<lnorm_driver_t>(); }

} // namespace benchdnn::lnorm
