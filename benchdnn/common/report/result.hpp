// SPDX-License-Identifier: Apache-2.0
// The result of one problem.
#pragma once

#include <string>

#include "common/report/samples.hpp"
#include "common/tensor/arguments.hpp"

namespace benchdnn {

enum class state_t {
    untested,
    listed,
    skipped,
    unimplemented,
    invalid_arguments,
    initialized,
    executed,
    passed,
    mistrusted,
    failed
};

const char *state_name(state_t state);
bool is_failure(state_t state);
// The state that a status of the library is reported as.
state_t state_of(dnnl_status_t status);

// Milliseconds that the steps of a problem took.
struct phases_t {
    double create_descriptor = 0, create_primitive = 0, fill = 0, execute = 0, compare = 0;
    void add(const phases_t &other);
};

struct result_t {
    state_t state = state_t::untested;
    std::string reason;
    int64_t errors = 0, total = 0; // elements compared
    std::string implementation;
    size_t input_bytes = 0, output_bytes = 0;
    arguments_t::traffic_t traffic;                // of a measured execution
    int threads = 0;                               // available to the library when it executed
    double roof_bytes_per_second = 0;              // 0: not measured
    double two_readings_roof_bytes_per_second = 0; // likewise, with everything read twice
    double peak_operations_per_second = 0;         // of multiplications in registers; likewise
    double whole_ms = 0;                           // from creation to verdict
    samples_t descriptor_creation, primitive_creation, execution;
    phases_t phases;

    void end(state_t last_state, const std::string &why) {
        state = last_state;
        reason = why;
    }
    // Sets the state if this one is worse.
    void settle(state_t verdict);
    // Adds the result of the same problem with another number of threads.
    void absorb(const result_t &other);
};

} // namespace benchdnn
