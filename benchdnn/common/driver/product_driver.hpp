// SPDX-License-Identifier: Apache-2.0
// A driver whose knobs are lists of values, with a problem for each combination of them. A driver
// derived from it defines its knobs and the order in which they are multiplied.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/driver/cross_product.hpp"
#include "common/driver/driver.hpp"
#include "common/driver/shared_settings.hpp"

namespace benchdnn {

// settings_type: a shared_settings_t with the driver's own lists. spec_type: a problem as data.
// problem_type: constructed from a spec_type and a problem_settings_t.
template <typename settings_type, typename spec_type, typename problem_type>
class product_driver_t : public driver_t {
public:
    const knob_set_t &knobs() const final { return knobs_; }

    void reset() final {
        std::string kept = std::move(settings_.perf_template);
        settings_ = settings_type();
        settings_.perf_template = std::move(kept);
    }

    std::vector<std::unique_ptr<problem_t>> problems(const std::string &descriptor,
            const options_t &options, const input_files_t &) const final {
        const std::string perf_template =
                resolved_perf_template(settings_.perf_template, csv_fields(), options.table);
        const std::vector<attributes_t> attributes = settings_.attribute_combinations();
        for (const attributes_t &attribute : attributes) require_attributes(attribute);
        std::vector<std::unique_ptr<problem_t>> list;
        for (const spec_type &spec : specs(descriptor)) {
            require(spec, options);
            for (const attributes_t &attribute : attributes)
                for (const spec_type &last : specs_behind_attributes(spec)) {
                    auto problem = std::make_unique<problem_type>(
                            last, problem_settings_t{attribute, settings_.impl, perf_template});
                    if (matches(problem->reproduction_text(options.canonical), settings_.pattern))
                        list.push_back(std::move(problem));
                }
        }
        return list;
    }

protected:
    // One for each combination of the knobs that come before the attributes, in the order of
    // oneDNN's driver, the last knob fastest, since reports are compared line by line.
    virtual std::vector<spec_type> specs(const std::string &descriptor) const = 0;
    // The same for the knobs that come after the attributes.
    virtual std::vector<spec_type> specs_behind_attributes(const spec_type &spec) const {
        return {spec};
    }
    // Throw bad_value_t for combinations that no library can accept.
    virtual void require(const spec_type &spec, const options_t &options) const = 0;
    virtual void require_attributes(const attributes_t &) const {}
    // The driver's fields in --perf-template=csv.
    virtual std::string csv_fields() const = 0;

    settings_type settings_;
    knob_set_t knobs_;
};

} // namespace benchdnn
