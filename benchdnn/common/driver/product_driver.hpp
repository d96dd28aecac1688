// SPDX-License-Identifier: Apache-2.0
// A driver whose knobs are lists of values, with a problem for each combination of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/driver/cross_product.hpp"
#include "common/driver/driver.hpp"
#include "common/driver/shared_settings.hpp"

namespace benchdnn {

// spec_type: a problem as data. problem_type: constructed from a spec_type and a
// problem_settings_t. settings_type: a shared_settings_t, with lists of the driver's own for knobs
// that no values_of() serves.
template <typename spec_type, typename problem_type, typename settings_type = shared_settings_t>
class product_driver_t : public driver_t {
public:
    const knob_set_t &knobs() const final { return knobs_; }

    void reset() final {
        std::string kept = std::move(settings_.perf_template);
        settings_ = settings_type();
        settings_.perf_template = std::move(kept);
        for (const axis_t &axis : axes_) axis.reset();
    }

    std::vector<std::unique_ptr<problem_t>> problems(const std::string &descriptor,
            const options_t &options, const input_files_t &) const final {
        const std::string perf_template =
                resolved_perf_template(settings_.perf_template, csv_fields(), options.table);
        const std::vector<attributes_t> attributes = settings_.attribute_combinations();
        for (const attributes_t &attribute : attributes) require_attributes(attribute);
        std::vector<std::unique_ptr<problem_t>> list;
        for (const spec_type &spec : multiplied(parse(descriptor), order_t::before_attributes)) {
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
    enum class order_t { before_attributes, behind_attributes };
    // The list of a knob's values, which specs have at a member; at first the member's default. A
    // knob is made of it. The last list is multiplied fastest, behind the attributes only if
    // `order` says so: the order of oneDNN's driver, since reports are compared line by line.
    template <typename value_t, typename owner_t>
    std::vector<value_t> &values_of(
            value_t owner_t::*member, order_t order = order_t::before_attributes) {
        return values_by(order, spec_type().*member,
                [member](spec_type &spec, const value_t &value) { spec.*member = value; });
    }
    // The same for values that `assign(spec, value)` writes to a spec.
    template <typename value_t, typename assign_t>
    std::vector<value_t> &values_by(order_t order, const value_t &standard, assign_t assign) {
        const auto values = std::make_shared<std::vector<value_t>>(1, standard);
        axes_.push_back({order, [=] { values->assign(1, standard); },
                [=](std::vector<spec_type> &specs) { multiply_by(specs, *values, assign); }});
        return *values;
    }

    // What a descriptor says; the knobs' values are the defaults.
    virtual spec_type parse(const std::string &descriptor) const = 0;
    // One for each combination of the knobs that come after the attributes.
    virtual std::vector<spec_type> specs_behind_attributes(const spec_type &spec) const {
        return multiplied(spec, order_t::behind_attributes);
    }
    // Throw bad_value_t for combinations that no library can accept.
    virtual void require(const spec_type &spec, const options_t &options) const = 0;
    virtual void require_attributes(const attributes_t &) const {}
    // The driver's fields in --perf-template=csv.
    virtual std::string csv_fields() const = 0;

    settings_type settings_;
    knob_set_t knobs_;

private:
    // The values of a knob.
    struct axis_t {
        order_t order;
        std::function<void()> reset;
        std::function<void(std::vector<spec_type> &)> multiply;
    };

    std::vector<spec_type> multiplied(const spec_type &spec, order_t order) const {
        std::vector<spec_type> all{spec};
        for (const axis_t &axis : axes_)
            if (axis.order == order) axis.multiply(all);
        return all;
    }

    std::vector<axis_t> axes_;
};

} // namespace benchdnn
