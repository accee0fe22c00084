#!/bin/bash
# SPDX-License-Identifier: MIT
# Every source compiles without a warning under gcc and under clang. What the build itself has
# compiled with -Werror and optimization (gcc finds some only then) is not compiled by that compiler
# again; clang finds all of its own without optimization.
# shellcheck disable=SC2086
set -u
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
: "${STAGE:?the staged tree}" "${BUILD:?objects of the build}"
fuzzed=$BUILD-fuzz	# the fuzzers' objects, by clang, if it is here
cd "$srcdir" || exit 1
failed=0
fail() { echo "FAILED: $*"; failed=1; }
flags=(-std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fPIC
	-DIPMU_VERSION='"0"' -DIPMU_ABI='"0"' -DIPMU_BIN_TO_LIB='"../lib"' -DIPMU_LIB_TO_BIN='"../bin"'
	-DIPMU_BIN_TO_SHARE='"../share"'
	-Icommon -Ihwloc_topo -Icomponent/engine -Ivirtual_pmu ${HWLOC_CFLAGS-}
	-I"$BUILD/hwloc_topo" -I"$BUILD/ipmu_run"	# headers that facts/client-list makes
	-isystem "$STAGE/include")
mapfile -t sources < <(find common hwloc_topo component/engine virtual_pmu -name '*.c' ! -path '*/emulator/*' | LC_ALL=C sort)
if [ -x "$STAGE/bin/ipmu-run" ]; then
	mapfile -t -O "${#sources[@]}" sources < <(find ipmu_run measure -name '*.c' | LC_ALL=C sort)
fi
if [ -n "${MPI_CFLAGS-}" ] && [ -e "$STAGE_LIB/libipmu_mpi.so" ]; then
	mapfile -t mpi_sources < <(find mpi_aggregation mpi_examples bench/mpi -name '*.c' | LC_ALL=C sort)
fi
[ "${#sources[@]}" -gt 0 ] || fail 'no sources'
declare -A command=([gcc]='-n 1 gcc -S -o /dev/null' [clang]='-n 8 clang -fsyntax-only')

compile() {	# compile COMPILER OBJECTS INCLUDE-OPTIONS SOURCE...: the build's objects are there
	local cc=$1 objects=$2 include=$3 source todo=() built=
	[ "${WERROR-}" != -Werror ] || [[ " ${CFLAGS-}" != *' -O2'* ]] || built=$(basename "${CC:-cc}")
	[ "${WERROR-}" != -Werror ] || [ $cc != clang ] || [ "$built" = clang ] || built=clang objects=$fuzzed
	shift 3
	for source; do
		[ "$built" = $cc ] && [ "$objects/${source%.c}.o" -nt "$source" ] || todo+=("$source")
	done
	echo "$cc: ${#todo[@]} of $# sources"
	[ ${#todo[@]} = 0 ] || printf '%s\0' "${todo[@]}" |
		xargs -0 -P "$(nproc)" ${command[$cc]} "${flags[@]}" $include
}
compilers=0
for cc in gcc clang; do
	command -v $cc >/dev/null || { echo "no $cc here"; continue; }
	compilers=$((compilers + 1))
	compile $cc "$BUILD" '' "${sources[@]}" || fail "$cc has something to say"
	[ -n "${mpi_sources-}" ] || continue
	for mpi in $MPIS; do	# what is peculiar to one MPI, gcc finds
		[ $cc = gcc ] || [ "$mpi" = "${MPIS%% *}" ] || continue
		headers=MPI_CFLAGS_$mpi
		compile $cc "$BUILD/$mpi" "-Impi_aggregation ${!headers}" "${mpi_sources[@]}" ||
			fail "$cc has something to say, with $mpi"
	done
done
[ "$compilers" -gt 0 ] || { echo 'neither gcc nor clang'; exit 77; }
exit "$failed"
