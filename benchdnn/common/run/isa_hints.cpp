// SPDX-License-Identifier: Apache-2.0
// --cpu-isa-hints, which applies to the whole process.
#include "common/run/isa_hints.hpp"

#include "common/command_line/usage_error.hpp"

namespace benchdnn {

void set_isa_hints(const std::vector<task_t> &tasks) {
    std::string wanted = "none";
    for (const task_t &task : tasks) {
        const std::string &hints = task.options->device.isa_hints;
        if (hints == "none" || hints == wanted) continue;
        if (wanted != "none")
            throw usage_error_t("--cpu-isa-hints: " + wanted + " and " + hints
                                + " cannot be combined in one run");
        wanted = hints;
    }
    if (wanted == "none") return;
    const dnnl_status_t status = dnnl_set_cpu_isa_hints(
            wanted == "prefer_ymm" ? dnnl_cpu_isa_prefer_ymm : dnnl_cpu_isa_no_hints);
    if (status != dnnl_success)
        throw usage_error_t(
                "--cpu-isa-hints: the library returned " + std::string(dnnl_status2str(status)));
}

} // namespace benchdnn
