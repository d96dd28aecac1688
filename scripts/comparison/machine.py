# SPDX-License-Identifier: Apache-2.0
"""The description of the machine in the report; facts that cannot be found out are "unknown"."""

import os
import platform
from pathlib import Path

CPUS = Path("/sys/devices/system/cpu")


def _text(path):
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def _model():
    for line in _text("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def _caches(cpu):
    found = []
    for index in sorted((CPUS / f"cpu{cpu}/cache").glob("index*")):
        kind, size, shared = (_text(index / name) for name in ("type", "size", "shared_cpu_list"))
        letter = {"Data": "d", "Instruction": "i"}.get(kind, "")
        if size:
            found.append(f"L{_text(index / 'level')}{letter} {size} (CPUs {shared})")
    return ", ".join(found) or "unknown"


def _governor(cpus):
    names = {_text(CPUS / f"cpu{cpu}/cpufreq/scaling_governor") for cpu in cpus} - {""}
    return ", ".join(sorted(names)) or "unknown (the system does not tell, as in virtual machines)"


def _cores(cpus):
    places = {
        (
            _text(CPUS / f"cpu{cpu}/topology/physical_package_id"),
            _text(CPUS / f"cpu{cpu}/topology/core_id"),
        )
        for cpu in cpus
    }
    return len(places) if all(place != ("", "") for place in places) else None


def describe(cpus):
    """Pairs of a name and its value."""
    cores = _cores(cpus)
    used = f"{','.join(map(str, cpus))}" + (f" ({len(cpus)} on {cores} cores)" if cores else "")
    return [
        ("CPU", _model()),
        ("CPUs of the machine", str(os.cpu_count())),
        ("CPUs used", used),
        (f"Caches of CPU {cpus[0]}", _caches(cpus[0])),
        ("Frequency governor", _governor(cpus)),
        ("System", f"{platform.system()} {platform.release()}"),
        ("Load before the run", "%.2f %.2f %.2f" % os.getloadavg()),
    ]
