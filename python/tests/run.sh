#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the package's tests where it lies, with the library of KILN_LIBRARY, or the one that the loader
# finds. Arguments go to unittest, e.g.  tests/run.sh -k softmax
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/interpreter.sh
# Also the examples in the documentation of modules.
export PYTHONPATH=$PWD:$PWD/tests
"$python" -c '
import doctest, sys
import kiln, kiln.channels, kiln.moves, kiln.normalization, kiln.operations, kiln.products
sys.exit(sum(doctest.testmod(module).failed
             for module in (kiln, kiln.channels, kiln.moves, kiln.normalization, kiln.operations, kiln.products)))'
exec "$python" -m unittest discover --start-directory tests "$@"
