#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks a commit before it is made, in about a minute: the format of the files that changed, the
# structure of the sources and the documents, and the results of the operations that changed.
#   scripts/pre_commit.sh             checks what differs from HEAD
#   scripts/pre_commit.sh --fix       also formats it
#   scripts/pre_commit.sh --install   makes git run it before each commit
# KILN_BUILD is the build folder (build).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${KILN_BUILD:-build}

if [ "${1:-}" = --install ]; then
    hook=$(git rev-parse --git-path hooks/pre-commit)
    printf '#!/bin/sh\nexec scripts/pre_commit.sh\n' >"$hook"
    chmod +x "$hook"
    echo "git runs scripts/pre_commit.sh before each commit ($hook)"
    exit
fi

changed=$(git diff --name-only --diff-filter=d HEAD; git ls-files --others --exclude-standard)
failed=()
# check NAME COMMAND...: prints the output of a check that fails.
check() {
    local name=$1 told
    shift
    if told=$("$@" 2>&1); then
        echo "ok      $name"
    else
        printf 'FAILED  %s\n%s\n' "$name" "$told"
        failed+=("$name")
    fi
}

sources=$(grep -E '\.(cpp|hpp|c|h)$' <<<"$changed" || true)
format=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$format" ]; then
    echo "left out: format (clang-format 14 is not installed)"
elif [ -n "$sources" ]; then
    [ "${1:-}" != --fix ] || xargs "$format" -i <<<"$sources"
    check "format of $(wc -l <<<"$sources") files" xargs "$format" --dry-run -Werror <<<"$sources"
fi

for script in structure/structure_test.py structure/c_entries_test.py structure/specification_test.py \
    documents/links_test.py documents/pictures_test.py; do
    check "$script" python3 -B "tests/$script"
done
check "README's table" scripts/status_table.py --check

# The drivers of the operations whose files changed; all of them where shared code did.
declare -A own=(
    [lnorm]='layer_norm|/normalization' [bnorm]='batch_norm|channel|/normalization'
    [gnorm]='group_norm|channel|/normalization' [graph]='src/graph|/graph/'
    [ip]='inner_product|matmul'
)
drivers=()
code=$(grep -E '^(src|benchdnn)/' <<<"$changed" | grep -v '^benchdnn/inputs/' || true)
operations=$(basename -a -s _list.cpp src/cpu/lists/*_list.cpp | paste -sd'|')
specific="$operations|$(printf '%s|' "${own[@]}")/(bnorm|gnorm|ip|lnorm)/"
# Building blocks are shared, even if they are named like an operation.
blocks='^src/cpu/x64/jit/|_(checks|scalar)\.[ch]pp$'
shared=$({ grep -vE "$specific" <<<"$code"; grep -E "$blocks" <<<"$code"; } | grep . || true)
for folder in benchdnn/inputs/*/; do
    driver=$(basename "$folder")
    if [ -n "$shared" ] || grep -qE "/$driver/|${own[$driver]:-$driver}" <<<"$code"; then
        drivers+=("$driver")
    fi
done
if [ ${#drivers[@]} -gt 0 ] && [ -d "$build" ]; then
    check "build of benchdnn" cmake --build "$build" --target benchdnn
    for driver in "${drivers[@]}"; do
        check "benchdnn --$driver --batch=show" \
            timeout 60 "$build/benchdnn/benchdnn" --mode=C "--$driver" --batch=show
    done
elif [ ${#drivers[@]} -gt 0 ]; then
    echo "left out: results (there is no $build; scripts/test.sh makes it)"
fi

[ ${#failed[@]} -eq 0 ] || { echo "pre_commit: ${#failed[@]} checks failed" >&2; exit 1; }
