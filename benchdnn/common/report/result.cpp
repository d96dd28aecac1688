// SPDX-License-Identifier: Apache-2.0
// The result of one problem.
#include "common/report/result.hpp"

namespace benchdnn {

const char *state_name(state_t state) {
    switch (state) {
    case state_t::listed: return "LISTED";
    case state_t::skipped: return "SKIPPED";
    case state_t::unimplemented: return "UNIMPLEMENTED";
    case state_t::invalid_arguments: return "INVALID_ARGUMENTS";
    case state_t::initialized: return "INITIALIZED";
    case state_t::executed: return "EXECUTED";
    case state_t::passed: return "PASSED";
    case state_t::mistrusted: return "MISTRUSTED";
    case state_t::failed: return "FAILED";
    default: return "UNTESTED";
    }
}

bool is_failure(state_t state) {
    return state == state_t::failed || state == state_t::unimplemented
           || state == state_t::invalid_arguments || state == state_t::untested;
}

void result_t::settle(state_t verdict) {
    // The enumerators after `executed` are ordered by severity.
    if (verdict > state) state = verdict;
}

void phases_t::add(const phases_t &other) {
    create_descriptor += other.create_descriptor;
    create_primitive += other.create_primitive;
    fill += other.fill;
    execute += other.execute;
    compare += other.compare;
}

void result_t::absorb(const result_t &other) {
    if (state == state_t::untested) {
        *this = other;
        return;
    }
    const int64_t errors_before = errors, total_before = total;
    const samples_t execution_before = execution;
    phases_t phases_of_both = phases;
    phases_of_both.add(other.phases);
    const bool is_worse =
            !is_failure(state)
            && (is_failure(other.state) || other.state > state || other.state == state_t::skipped);
    if (is_worse) *this = other;
    phases = phases_of_both;
    if (!is_worse) {
        errors += other.errors;
        total += other.total;
        execution.merge(other.execution);
        return;
    }
    errors += errors_before;
    total += total_before;
    execution.merge(execution_before);
}

state_t state_of(dnnl_status_t status) {
    switch (status) {
    case dnnl_unimplemented: return state_t::unimplemented;
    case dnnl_invalid_arguments:
    case dnnl_invalid_graph:
    case dnnl_invalid_graph_op:
    case dnnl_invalid_shape:
    case dnnl_invalid_data_type: return state_t::invalid_arguments;
    default: return state_t::failed;
    }
}

} // namespace benchdnn
