#!/bin/bash
# SPDX-License-Identifier: MIT
# The CMake package: a program that uses it is built and runs, also after the tree was moved. A
# requested version that is too new or of another first number is refused.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${STAGE:?the staged tree}" "${STAGE_LIB:?}" "${VERSION:?}"
needs cmake "${CC:-cc}"

mkdir "$scratch/source"
cat >"$scratch/source/CMakeLists.txt" <<'E2'
cmake_minimum_required(VERSION 3.13)
project(count C)
find_package(ipmu ${WANTED} REQUIRED)
add_executable(count count.c)
target_link_libraries(count PRIVATE ipmu::intelpmu ipmu::region)
E2
cat >"$scratch/source/count.c" <<'E2'
#include <ipmu.h>
#include <ipmu_region.h>
#include <stdio.h>

int main(void)
{
	struct ipmu_topology *topo;
	char why[IPMU_WHY_MAX], name[1][32];

	if (ipmu_names_open(why) || ipmu_topology_load(&topo, why))
		return puts(why), 1;
	printf("%d\n", topo->ncpus);
	ipmu_topology_free(topo);
	if (ipmu_region_begin("region") || ipmu_region_end("region"))
		return 1;
	return ipmu_names_pmus(IPMU_SCOPE_PACKAGE, 0, name, 1) != 1;
}
E2

configured() {	# configured PREFIX VERSION: with the package below PREFIX
	rm -rf "$scratch/build"
	cmake -S "$scratch/source" -B "$scratch/build" -DCMAKE_C_COMPILER="${CC:-cc}" \
		-DWANTED="$2" -Dipmu_DIR="$1/${STAGE_LIB#"$STAGE"/}/cmake/ipmu" >"$scratch/out" 2>&1
}
works() {	# works WHAT PREFIX
	configured "$2" "$VERSION" && cmake --build "$scratch/build" >>"$scratch/out" 2>&1
	verdict "$1: builds" $?
	got=$("$scratch/build/count" 2>>"$scratch/out")
	verdict "$1: runs" $?
	is "$1: CPUs, as the kernel says" "$(getconf _NPROCESSORS_ONLN)" "$got"
}
works 'the stage' "$STAGE"
mkdir "$scratch/moved"
cp -a "$STAGE"/. "$scratch/moved"
works 'a moved tree' "$scratch/moved"
ldd "$scratch/build/count" >"$scratch/out"
grep -qF "$scratch/moved/" "$scratch/out"
verdict 'a moved tree: its own library' $?
for version in "$((${VERSION%%.*} + 1))" "${VERSION%%.*}.999"; do
	configured "$STAGE" "$version"
	is "version $version is refused" 1 $?
done
finish
