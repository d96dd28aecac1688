// SPDX-License-Identifier: Apache-2.0
// header_compile.cmake compiles each header alone, as this file with an -include option.
