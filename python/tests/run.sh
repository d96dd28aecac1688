#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the package's tests where it lies, with the library of KILN_LIBRARY, or the one that the loader
# finds. Arguments go to unittest, e.g.  tests/run.sh -k softmax
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/interpreter.sh
# The examples in the documentation of all modules.
export PYTHONPATH=$PWD:$PWD/tests
"$python" -c '
import doctest, importlib, pkgutil, sys
import kiln
modules = [kiln, *(importlib.import_module("kiln." + one.name) for one in pkgutil.iter_modules(kiln.__path__))]
results = [doctest.testmod(module) for module in modules]
sys.exit(any(result.failed for result in results) or not any(result.attempted for result in results))'
exec "$python" -m unittest discover --start-directory tests "$@"
