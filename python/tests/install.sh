#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the package as doc/guide/python.md says, without a network, in a virtual environment with the
# system's packages, and calls it from there.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$project/tests/interpreter.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! timeout 100 "$python" -m venv --system-site-packages "$work/venv" >"$work/log" 2>&1; then
    grep -q ensurepip "$work/log" || { cat "$work/log"; exit 1; }
    echo "skipped: virtual environments need ensurepip (Debian: python3-venv)"
    exit 77
fi
if ! "$work/venv/bin/python" -c 'import setuptools' 2>/dev/null; then
    echo "skipped: no setuptools (Debian: python3-setuptools)"
    exit 77
fi
# pip leaves files beside the sources that it installs.
cp -r "$project" "$work/python"
timeout 100 "$work/venv/bin/pip" install --quiet --no-build-isolation --no-index "$work/python"
cd "$work"
unset PYTHONPATH
venv/bin/python - <<'PROGRAM'
import kiln, numpy as np
assert "/venv/" in kiln.__file__, kiln.__file__
x = np.random.default_rng(0).standard_normal((4, 768), dtype=np.float32)
y = kiln.layer_norm(x, np.ones(768, np.float32), np.zeros(768, np.float32))
assert abs(y.mean()) < 1e-6 and abs(y.std() - 1) < 1e-4, (y.mean(), y.std())
print("kiln", kiln.__version__, "in", kiln.__file__)
PROGRAM
