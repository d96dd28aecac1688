// SPDX-License-Identifier: Apache-2.0
// The unit in which header_compile.cmake compiles each header alone, put before it by -include.
extern int a_unit_of_c_declares_something;
