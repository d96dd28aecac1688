#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds everything and runs all tests. Safe to repeat.
# Arguments go to ctest, e.g.  scripts/test.sh -R layer_normalization
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh

# clang: the public headers are compiled with both compilers.
kiln_install $kiln_packages $kiln_optional_packages clang
# A oneDNN that a test of KILN_SONAME loads beside Kiln; not every system has it.
if apt-cache show libdnnl2 >/dev/null 2>&1; then kiln_install libdnnl2; fi
kiln_build
echo "== Testing"
ctest --preset release --parallel "$(nproc)" "$@"
