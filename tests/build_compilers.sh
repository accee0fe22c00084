#!/bin/bash
# SPDX-License-Identifier: MIT
# Every source compiles without a warning under gcc and under clang.
set -u
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
: "${STAGE:?the staged tree}"
cd "$srcdir" || exit 1
failed=0
fail() { echo "FAILED: $*"; failed=1; }
flags=(-std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fPIC
	-DIPMU_VERSION='"0"' -DIPMU_ABI='"0"' -DIPMU_BIN_TO_LIB='"../lib"' -DIPMU_LIB_TO_BIN='"../bin"'
	-DIPMU_BIN_TO_SHARE='"../share"'
	-S -o /dev/null -Icommon -Ihwloc_topo -Icomponent/engine -Ivirtual_pmu ${HWLOC_CFLAGS-}
	-isystem "$STAGE/include")
mapfile -t sources < <(find common hwloc_topo component/engine virtual_pmu -name '*.c' | LC_ALL=C sort)
if [ -x "$STAGE/bin/ipmu-run" ]; then
	mapfile -t -O "${#sources[@]}" sources < <(find ipmu_run -name '*.c' | LC_ALL=C sort)
fi
if [ -n "${MPI_CFLAGS-}" ] && [ -x "$STAGE/bin/ipmu-mpi-run" ]; then
	mapfile -t mpi_sources < <(find mpi_aggregation mpi_examples bench/mpi -name '*.c' | LC_ALL=C sort)
fi
[ "${#sources[@]}" -gt 0 ] || fail 'no sources'
compilers=0
for cc in gcc clang; do
	command -v $cc >/dev/null || { echo "no $cc here"; continue; }
	compilers=$((compilers + 1))
	printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" $cc "${flags[@]}" ||
		fail "$cc has something to say"
	[ -n "${mpi_sources-}" ] || continue
	for mpi in $MPIS; do
		headers=MPI_CFLAGS_$mpi
		# shellcheck disable=SC2086
		printf '%s\0' "${mpi_sources[@]}" | xargs -0 -n 1 -P "$(nproc)" $cc "${flags[@]}" \
			-Impi_aggregation ${!headers} || fail "$cc has something to say, with $mpi"
	done
done
[ "$compilers" -gt 0 ] || { echo 'neither gcc nor clang'; exit 77; }
exit "$failed"
