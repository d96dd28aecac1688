// SPDX-License-Identifier: Apache-2.0
// Files that the command line names: where they are found, and the words batch files hold.
#pragma once

#include <string>
#include <vector>

namespace benchdnn {

class input_files_t {
public:
    // The path of a file that a knob named: as given, then in the directories of batch files used
    // before, then in inputs/<driver> beside the program. A usage_error_t names all places when it
    // is in none.
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
