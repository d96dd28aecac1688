# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts (sourced): installs packages that are missing, configures, builds.

# Debian's and Ubuntu's names.
kiln_packages="g++ cmake ninja-build libxbyak-dev libtbb-dev nlohmann-json3-dev libgtest-dev"
# Used by examples, by tests of several processes (MPI) and of the Python package; without them, these
# are left out.
kiln_optional_packages="libopenmpi-dev openmpi-bin python3-numpy python3-setuptools python3-venv"
# Names elsewhere, of both kinds. Not tested.
kiln_fedora_packages="gcc-c++ cmake ninja-build xbyak-devel tbb-devel json-devel gtest-devel
    openmpi-devel python3-numpy python3-setuptools"
kiln_arch_packages="gcc cmake ninja xbyak onetbb nlohmann-json gtest
    openmpi python-numpy python-setuptools"

# kiln_install PACKAGE...: installs those that are not there; asks for nothing where all are. Without
# dpkg it names what is needed and goes on: CMake says what it does not find.
kiln_install() {
    if ! command -v dpkg-query >/dev/null; then
        if command -v dnf >/dev/null; then
            echo "== Needed (not tested): dnf install" $kiln_fedora_packages
        elif command -v pacman >/dev/null; then
            echo "== Needed (not tested): pacman -S --needed" $kiln_arch_packages
        else
            echo "== Needed, by Debian's names: $*"
        fi
        return 0
    fi
    local missing=() package
    for package in "$@"; do
        dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2>/dev/null |
            grep -qx installed || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "Missing packages; as root run:  apt-get install ${missing[*]}" >&2
            return 1
        }
        as_root=(sudo)
    fi
    echo "== Installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# kiln_processor: the processor's name, for figures.
kiln_processor() { sed -n 's/^model name[^:]*: //p; T; q' /proc/cpuinfo; }

# kiln_build [TARGET]: configures build/ and builds one target, or everything.
kiln_build() {
    local log
    log=$(mktemp)
    echo "== Configuring"
    cmake --preset release >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; return 1; }
    mv "$log" build/configure.log
    echo "== Building ${1:-everything}"
    cmake --build --preset release ${1:+--target "$1"}
}
