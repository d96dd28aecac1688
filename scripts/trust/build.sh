#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks how the library is built: without warnings by gcc and by clang, hardened, with the recorded C
# ABI, with the same bytes from two folders, the site of its documents without warnings, the sources
# without findings of clang-tidy (.clang-tidy).
# Each step takes some minutes; a step that would begin after MINUTES is left out, and the last line says
# so. clang-tidy is the last one: it looks at the files that differ from origin/main, or at all with
# KILN_TIDY=all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/setup.sh

minutes=${1:-60}
kiln_install $kiln_packages clang clang-tidy abigail-tools git python3
mkdir -p build/trust
facts=()
skipped=()
# step NAME FUNCTION: runs a step if there is time left.
step() {
    if [ $SECONDS -ge $((60 * minutes)) ]; then
        skipped+=("$1")
        return
    fi
    echo "== $1"
    "$2"
    facts+=("$1")
}

with_gcc() { kiln_build; } # warnings are errors in the preset
# File by file: nothing is built, so there are no precompiled headers.
configure_clang() {
    cmake -S . -B build-clang -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
        -DCMAKE_BUILD_TYPE=Release -DKILN_WERROR=ON -DKILN_FAST_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
        >build/trust/clang_configure.log
}
with_clang() {
    configure_clang
    scripts/clang_warnings.py build-clang | tee build/trust/clang_warnings.log
    facts+=("clang: $(tail -n 1 build/trust/clang_warnings.log)")
}
hardened() {
    KILN_LIBRARY=build/src/libdnnl.so.3 python3 -B tests/binary/library_file_test.py
}
same_abi() {
    scripts/record_abi.py build/trust/libdnnl.abi
    abidiff tests/api/libdnnl.abi build/trust/libdnnl.abi
}
reproducible() {
    local folder copy copies
    folder=$(mktemp -d)
    copies=("$folder/a" "$folder/another_folder_with_a_longer_name")
    for copy in "${copies[@]}"; do git clone -q . "$copy"; done # of one commit, which the library names
    for copy in "${copies[@]}"; do
        cmake -S "$copy" -B "$copy/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKILN_BUILD_TESTS=OFF \
            -DKILN_BUILD_BENCHDNN=OFF -DKILN_BUILD_EXAMPLES=OFF >/dev/null
        cmake --build "$copy/build" --target dnnl
    done
    cmp "$folder"/*/build/src/libdnnl.so.3.*
    sha256sum "$folder"/*/build/src/libdnnl.so.3.*
    rm -rf "$folder"
}
tidy() {
    local base files
    configure_clang
    base=$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)
    files=$(git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp')
    [ "${KILN_TIDY:-}" != all ] || files=$(git ls-files 'src/*.cpp')
    [ -z "$files" ] || xargs -n 4 -P "$(nproc)" clang-tidy -p build-clang --quiet --warnings-as-errors='*' <<<"$files"
    facts+=("clang-tidy: $(wc -w <<<"$files") files")
}

site() { scripts/docs.sh "$PWD/build/trust/docs"; }

step "no warnings by gcc" with_gcc
step "hardened, baseline instructions only" hardened
step "C ABI as recorded" same_abi
step "site of the documents without warnings" site
step "no warnings by clang" with_clang
step "same bytes from two folders" reproducible
step "no findings of clang-tidy" tidy
figures=$(printf '%s; ' "${facts[@]}")
[ ${#skipped[@]} -eq 0 ] || figures+="NOT RUN for lack of time: $(printf '%s; ' "${skipped[@]}")"
echo "trust: build: ${figures%; }"
