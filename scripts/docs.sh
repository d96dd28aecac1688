#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds one site from the public headers and the documents: build/docs/html/index.html. Installs what
# is missing. A warning of Doxygen is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh

kiln_install doxygen graphviz python3
output=${1:-$PWD/build/docs}
rm -rf "$output"
mkdir -p "$output/pages"
python3 -B scripts/site/pages.py "$output/pages"

part() { sed -n "s/^#define KILN_VERSION_$1 //p" include/kiln/version.h; }
pictures=$(find "$PWD/doc" -name '*.svg' | sort | tr '\n' ' ')
sed -e "s|@VERSION@|$(part MAJOR).$(part MINOR).$(part PATCH)|" -e "s|@OUTPUT@|$output|" \
    -e "s|@PAGES@|$output/pages|g" -e "s|@SOURCE@|$PWD|g" -e "s|@PICTURES@|$pictures|" \
    scripts/site/Doxyfile >"$output/Doxyfile"
doxygen "$output/Doxyfile" || {
    cat "$output/warnings.log" >&2
    exit 1
}
# Doxygen keeps the backslash before a bar in a code span of a table.
sed -i 's/\\|/|/g' "$output"/html/page_*.html "$output"/html/index.html
echo "$output/html/index.html"
