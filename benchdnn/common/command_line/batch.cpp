// SPDX-License-Identifier: Apache-2.0
// Files named on the command line: where they are looked up, and the words of batch files.
#include "common/command_line/batch.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"

namespace benchdnn {

namespace fs = std::filesystem;

namespace {

fs::path program_directory() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

bool is_file(const fs::path &path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

} // namespace

std::vector<std::string> words_of(const std::string &text) {
    std::vector<std::string> words;
    std::istringstream lines(text);
    bool continues = false;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream rest(line);
        for (std::string word; rest >> word;) {
            if (word[0] == '#') break;
            const bool goes_on = word.back() == '\\';
            if (goes_on) word.pop_back();
            if (continues && !words.empty())
                words.back() += word;
            else if (!word.empty())
                words.push_back(word);
            continues = goes_on;
        }
    }
    return words;
}

std::string input_files_t::find(
        const std::string &knob, const std::string &file, const std::string &driver) const {
    std::vector<std::string> candidates{file};
    for (const std::string &directory : directories_) candidates.push_back(directory + "/" + file);
    for (const char *directory : {"inputs", "../share/benchdnn/inputs"}) // built, installed
        candidates.push_back((program_directory() / directory / driver / file).string());
    const auto found = std::find_if(candidates.begin(), candidates.end(), is_file);
    if (found == candidates.end())
        throw usage_error_t("--" + knob + ": there is no file " + join(candidates, ", nor "));
    return *found;
}

std::vector<std::string> input_files_t::read_batch(
        const std::string &file, const std::string &driver) {
    const std::string path = find("batch", file, driver);
    const std::string directory = fs::path(path).parent_path().string();
    const std::string used = directory.empty() ? "." : directory;
    if (std::find(directories_.begin(), directories_.end(), used) == directories_.end())
        directories_.push_back(used);
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return words_of(text.str());
}

} // namespace benchdnn
