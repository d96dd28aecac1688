#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Debian packages of a build, installs them in a scratch root whose list of packages is this
# machine's, and uses the library from there: a program is made by CMake, by pkg-config and by plain
# flags, and benchdnn runs.
#   scripts/package.sh [BUILD_FOLDER [PACKAGE_FOLDER]]
# BUILD_FOLDER is one in which library and benchdnn are built; without it, build-package/ is made.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:-$project/build-package}
if [ $# -eq 0 ]; then
    cd "$project"
    . scripts/setup.sh
    kiln_install $kiln_packages dpkg-dev fakeroot file pkg-config
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
        -DKILN_BUILD_TESTS=OFF -DKILN_BUILD_EXAMPLES=OFF
    cmake --build "$build"
fi
build=$(realpath "$build")
packages=${2:-$build/packages}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root

echo "== Packing"
rm -rf "$packages" && mkdir -p "$packages"
(cd "$scratch" && cpack --config "$build/CPackConfig.cmake" -B "$scratch/cpack" >cpack.log 2>&1) ||
    { tail -n 40 "$scratch/cpack.log" >&2; exit 1; }
mv "$scratch"/cpack/*.deb "$packages"
for package in "$packages"/*.deb; do
    dpkg-deb --show --showformat='${Package} ${Version}: ${Depends}\n' "$package"
done

# A package of somebody else, which needs oneDNN 3.
mkdir -p "$scratch/dependent/DEBIAN"
cat >"$scratch/dependent/DEBIAN/control" <<'CONTROL'
Package: kiln-test-dependent
Version: 1
Architecture: all
Maintainer: The Kiln authors <kiln@localhost>
Depends: libdnnl3 (>= 3.1)
Description: program that is linked with oneDNN
CONTROL
dpkg-deb --build "$scratch/dependent" "$scratch/dependent.deb" >/dev/null

# dpkg checks the dependencies by the list; the files of the packages in it are not in the root, so
# the packages' scripts, which call ldconfig, run outside of it and find one that does nothing.
echo "== Installing"
mkdir "$scratch/bin" && ln -s /bin/true "$scratch/bin/ldconfig"
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(fakeroot)
PATH=$scratch/bin:$PATH "${as_root[@]}" dpkg --root="$root" --force-not-root --force-script-chrootless \
    --no-triggers --install "$packages"/*.deb "$scratch/dependent.deb" >"$scratch/dpkg.log" 2>&1 ||
    { grep -v 'files list file' "$scratch/dpkg.log" >&2; exit 1; }
libdir=$(dirname "$(find "$root/usr/lib" -name 'lib*.so.3' -print -quit)")

echo "== Using"
export LD_LIBRARY_PATH=$libdir
program=$project/tests/api/header_compile/cpp_program.cpp
cmake -S "$project/tests/package/find_package" -B "$scratch/consumer" -DPROGRAM="$program" \
    -DCMAKE_PREFIX_PATH="$root/usr" >"$scratch/cmake.log" &&
    cmake --build "$scratch/consumer" >>"$scratch/cmake.log" || { cat "$scratch/cmake.log" >&2; exit 1; }
"$scratch/consumer/program" && echo "CMake: the program runs"

flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs dnnl)
"${CXX:-c++}" -std=c++11 -o "$scratch/by_pkg_config" "$program" $flags
"$scratch/by_pkg_config" && echo "pkg-config: the program runs"

"${CXX:-c++}" -std=c++11 -o "$scratch/by_flags" "$program" -I"$root/usr/include" -L"$libdir" -ldnnl
"$scratch/by_flags" && echo "plain flags: the program runs"

"$root/usr/bin/benchdnn" --sum --mode=C --batch=ci >"$scratch/benchdnn.log" ||
    { cat "$scratch/benchdnn.log" >&2; exit 1; }
grep tests: "$scratch/benchdnn.log"
echo "Packages: $packages"
