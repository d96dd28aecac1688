// SPDX-License-Identifier: Apache-2.0
// Functions that Kiln has and other libraries of the interface have not.
#pragma once

#ifdef KILN_IS_LINKED_STATICALLY
#define BENCHDNN_OPTIONAL_FUNCTION(name) (&(name))
#else
#include <dlfcn.h>
// Its address in the library that the loader found, or null.
#define BENCHDNN_OPTIONAL_FUNCTION(name)                                                           \
    reinterpret_cast<decltype(&(name))>(dlsym(RTLD_DEFAULT, #name))
#endif
