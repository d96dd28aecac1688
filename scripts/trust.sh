#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the long tests, scripts/trust/*.sh, one after the other, and prints the last line of each: its
# figures. Whole outputs are in build/trust/NAME.log. Exits with 1 if any of them fails.
#   scripts/trust.sh [MINUTES]        all of them, in about so many minutes (60)
#   scripts/trust.sh MINUTES NAME...  some of them
# A script gets an equal share of the minutes that are left; what it does not use goes to those after it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

minutes=${1:-60}
[[ $minutes =~ ^[0-9]+$ ]] && [ "$minutes" -gt 0 ] || {
    echo "usage: scripts/trust.sh [MINUTES [NAME...]]; MINUTES is a number from 1 on" >&2
    exit 2
}
names=("${@:2}")
if [ ${#names[@]} -eq 0 ]; then
    for script in scripts/trust/*.sh; do
        name=${script##*/}
        names+=("${name%.sh}")
    done
fi
for name in "${names[@]}"; do
    [ -x "scripts/trust/$name.sh" ] || { echo "There is no scripts/trust/$name.sh" >&2; exit 2; }
done

mkdir -p build/trust
end=$((SECONDS + 60 * minutes))
left=${#names[@]}
failed=0
for name in "${names[@]}"; do
    share=$(((end - SECONDS) / 60 / left))
    left=$((left - 1))
    log=build/trust/$name.log
    if "scripts/trust/$name.sh" "$((share > 0 ? share : 1))" >"$log" 2>&1; then
        tail -n 1 "$log"
    else
        failed=1
        echo "trust: $name: FAILED ($log)"
        tail -n 5 "$log" | sed 's/^/    /'
    fi
done
exit $failed
