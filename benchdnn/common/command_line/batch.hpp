// SPDX-License-Identifier: Apache-2.0
// Files named on the command line: where they are looked up, and the words of batch files.
#pragma once

#include <string>
#include <vector>

namespace benchdnn {

class input_files_t {
public:
    // The path of a file that a knob names: as given, then in the folders of the batch files read
    // before, then in inputs/<driver> beside the program. If the file is in none of them, a
    // usage_error_t lists all places.
    std::string find(
            const std::string &knob, const std::string &file, const std::string &driver) const;
    // The words of a batch file.
    std::vector<std::string> read_batch(const std::string &file, const std::string &driver);

private:
    std::vector<std::string> directories_;
};

// Words of a batch file's text: separated by white space; a word that begins with # starts a
// comment; a word that ends in \ continues with the next one.
std::vector<std::string> words_of(const std::string &text);

} // namespace benchdnn
