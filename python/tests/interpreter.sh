# SPDX-License-Identifier: Apache-2.0
# Sourced: `python` is KILN_PYTHON, or else python3 of the path or of the system, whichever has NumPy.
# Without NumPy, the script that sources this file ends with 77, which CTest reports as skipped.

python=
for candidate in ${KILN_PYTHON:-python3 /usr/bin/python3}; do
    "$candidate" -c 'import numpy' 2>/dev/null && python=$candidate && break
done
if [ -z "$python" ]; then
    echo "skipped: no Python with NumPy (Debian: python3-numpy); KILN_PYTHON names an interpreter"
    exit 77
fi
export PYTHONDONTWRITEBYTECODE=1
