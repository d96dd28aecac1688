// SPDX-License-Identifier: Apache-2.0
// The commit the library was built from; stands alone so that a new commit recompiles one file.

#ifndef ONEAPI_DNNL_DNNL_VERSION_HASH_H
#define ONEAPI_DNNL_DNNL_VERSION_HASH_H

// The build may say it on the command line; sources without a repository have none.
#ifndef DNNL_VERSION_HASH
#define DNNL_VERSION_HASH "N/A"
#endif

#endif // ONEAPI_DNNL_DNNL_VERSION_HASH_H
