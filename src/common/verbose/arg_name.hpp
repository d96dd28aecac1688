// SPDX-License-Identifier: Apache-2.0
// Names of execution arguments for messages.
#pragma once

namespace kiln {

/// The constants that an argument's number is made of, e.g. "DNNL_ARG_DST" or
/// "DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC".
struct arg_name_t {
    explicit arg_name_t(int arg);
    const char *c_str() const { return text_; }

private:
    char text_[160]; // no allocation: messages are made while memory may have run out
};
inline arg_name_t arg_name(int arg) { return arg_name_t(arg); }

} // namespace kiln
