// SPDX-License-Identifier: Apache-2.0
// A problem that is one primitive: how its descriptor is created, its arguments are filled and its
// outputs are compared. Attributes and filters of implementations are handled here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/attributes/attributes_handle.hpp"
#include "common/run/problem.hpp"

namespace benchdnn {

class primitive_problem_t : public problem_t {
public:
    using problem_t::problem_t;

    virtual attribute_target_t attribute_target() const = 0;
    virtual dnnl_status_t create(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            primitive_desc_t &out) const = 0;
    // Adds the primitive's arguments, except those of attributes, and fills the inputs. Returns why
    // that is not possible, or "".
    virtual std::string prepare(
            const primitive_desc_t &primitive_desc, arguments_t &arguments) const = 0;
    // See executable_t.
    virtual void derive_inputs(const primitive_desc_t &, arguments_t &) const {}
    virtual std::vector<comparison_t> compare(const arguments_t &arguments) const = 0;

    // Creates the primitive by the first implementation that the filters accept.
    std::unique_ptr<executable_t> make(
            const creation_request_t &request, result_t &result) const final;
    std::vector<std::string> explanation(const creation_request_t &request) const final;

    // Which implementations may be used.
    const impl_filter_t &filter(const options_t &options) const;
};

} // namespace benchdnn
