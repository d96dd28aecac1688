// SPDX-License-Identifier: Apache-2.0
// Turns words into tasks.
#include "common/driver/command_line.hpp"

#include <utility>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"

namespace benchdnn {

namespace {
constexpr int deepest_batch = 32; // a file that includes itself
}

command_line_t::command_line_t()
    : drivers_(make_drivers()) {
    add_run_knobs(run_knobs_, options_);
}

void command_line_t::read(const std::vector<std::string> &words, int depth) {
    if (depth > deepest_batch) throw usage_error_t("--batch: files include each other endlessly");
    for (const std::string &text : words) {
        const word_t word(text);
        if (text == "--help" || text == "-h") throw help_request_t{help_text()};
        if (select_driver(word.name)) continue;
        if (run_knobs_.apply(text)) continue;
        if (text.rfind("-v", 0) == 0 && run_knobs_.apply("--verbose=" + text.substr(2))) continue;
        if (!driver_) refuse(text);
        if (word.name == "reset")
            reset();
        else if (word.name == "batch")
            read(input_files_.read_batch(word.value, driver_->name()), depth + 1);
        else if (driver_->is_descriptor(text))
            add_problems(text);
        else if (!driver_->knobs().apply(text))
            refuse(text);
    }
}

bool command_line_t::select_driver(const std::string &name) {
    for (const auto &driver : drivers_) {
        if (driver->name() != name) continue;
        driver_ = driver.get();
        return true;
    }
    return false;
}

// Thread contexts are reset with the driver's knobs, as in oneDNN's benchdnn.
void command_line_t::reset() {
    driver_->reset();
    options_.creation_context = options_.execution_context = {{}};
}

void command_line_t::add_problems(const std::string &descriptor) {
    std::vector<std::shared_ptr<const options_t>> contexts;
    for (const options_t &options : thread_context_combinations(options_))
        contexts.push_back(std::make_shared<const options_t>(options));
    try {
        for (auto &problem : driver_->problems(descriptor, options_, input_files_)) {
            const std::shared_ptr<const problem_t> shared = std::move(problem);
            for (const auto &options : contexts)
                tasks_.push_back({driver_->name(), shared, options});
        }
    } catch (const bad_value_t &bad) {
        throw usage_error_t("problem " + descriptor + ": " + bad.what() + "; --" + driver_->name()
                            + " takes " + driver_->descriptor_help());
    }
}

// All knobs of a driver with their defaults, as they are in the reproduction line of the problem
// that its descriptor_help() ends with. Empty if that is a file that is not there.
std::string command_line_t::defaults_of(const std::string &name) const {
    try {
        for (const auto &driver : make_drivers()) {
            if (driver->name() != name) continue;
            const std::string help = driver->descriptor_help();
            const auto problems =
                    driver->problems(help.substr(help.rfind(' ') + 1), options_t(), input_files_);
            if (!problems.empty()) return problems.front()->reproduction_text(true);
        }
    } catch (const std::exception &) {
    }
    return "";
}

std::string command_line_t::help_text() const {
    std::string names;
    for (const auto &driver : drivers_) names += " --" + driver->name();
    std::string text = "benchdnn [run knobs] --DRIVER [knobs] PROBLEM [[knobs] PROBLEM ...]\n"
                       "drivers:"
                       + names + "\n";
    if (driver_)
        text += "\nproblems of --" + driver_->name() + ": " + driver_->descriptor_help()
                + "\n\nknobs of --" + driver_->name() + "\n"
                + driver_->knobs().help_text(defaults_of(driver_->name()));
    text += "\nrun knobs\n" + run_knobs_.help_text(default_options_text());
    text += "  --batch=FILE\n      Reads knobs and problems from a file.\n"
            "      example: --batch=models\n"
            "  --reset\n      Sets the driver's knobs to their defaults.\n";
    return text;
}

void command_line_t::refuse(const std::string &text) const {
    if (!driver_ && text.rfind("--", 0) != 0)
        throw usage_error_t("a driver is expected before '" + text + "'");
    std::vector<std::string> known = run_knobs_.names();
    for (const auto &driver : drivers_) known.push_back(driver->name());
    if (driver_) {
        for (const std::string &name : driver_->knobs().names()) known.push_back(name);
        known.insert(known.end(), {"batch", "reset", "help"});
    }
    const std::string close = nearest_spelling(word_t(text).name, known);
    const std::string where = driver_ ? "--" + driver_->name() + " has no knob " : "there is no ";
    throw usage_error_t(where + text + (close.empty() ? "" : "; did you mean --" + close + "?")
                        + (driver_ ? "" : " (knobs of a driver come after the driver's name)"));
}

} // namespace benchdnn
