#!/bin/bash
# SPDX-License-Identifier: MIT
# Shared libraries: versions, and exactly the names that their headers declare. What is loaded by our
# own programs has no version and exports what has to be found there, no more.
set -u
: "${STAGE:?the staged tree}" "${SRCDIR:?}" "${VERSION:?of the project}"
lib=$STAGE_LIB include=$STAGE/include/ipmu
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

exported() { nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u; }
soname() { readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'; }

# Functions that a header declares: what stands before a parenthesis once comments and # lines are gone.
declared() {
	${CC:-cc} -fpreprocessed -dD -E -P "$1" | grep -v '^ *#' | tr '\n' ' ' |
		grep -oE '\bipmu_[a-z0-9_]+ *\(' | tr -d ' (' | LC_ALL=C sort -u
}

same_names() {	# same_names WHAT WANTED-FILE LIBRARY
	exported "$3" >"$scratch/exported"
	[ -s "$2" ] || fail "$1: no names are wanted"
	diff "$2" "$scratch/exported" >"$scratch/differ" ||
		{ sed 's/^</missing:/; s/^>/too much:/' "$scratch/differ"; fail "names that $1 exports"; }
}

versioned() {	# versioned NAME: NAME.so.VERSION, with its links
	local real=$lib/$1.so.$VERSION so=$1.so.${VERSION%%.*} link
	[ -f "$real" ] && [ ! -L "$real" ] || fail "no $real"
	[ "$(soname "$real")" = "$so" ] || fail "soname of $1: '$(soname "$real")' instead of $so"
	for link in "$lib/$1.so" "$lib/$so"; do
		[ -L "$link" ] && [ "$(readlink "$link")" = "$1.so.$VERSION" ] || fail "$link is no link"
	done
	[ "$(find "$lib" -maxdepth 1 -name "$1.so.*" | wc -l)" = 2 ] || fail "other versions of $1 lie about"
}

# -- the engine
versioned libintelpmu
{ declared "$include/ipmu.h"; declared "$include/ipmu_topology.h"; } | LC_ALL=C sort -u >"$scratch/engine"
same_names libintelpmu.so "$scratch/engine" "$lib/libintelpmu.so"
[ "$(wc -l <"$scratch/engine")" -ge 30 ] || fail 'the headers of libintelpmu are not understood'

# -- regions by name
versioned libipmu_region
declared "$include/ipmu_region.h" | LC_ALL=C sort -u >"$scratch/region"
same_names libipmu_region.so "$scratch/region" "$lib/libipmu_region.so"
[ -z "$(readelf -d "$lib/libipmu_region.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^libc\.so')" ] ||
	fail 'libipmu_region.so needs more than the C library'

# -- the engine inside libpapi keeps to itself
[ -z "$(exported "$lib/libpapi.so" | grep '^ipmu_')" ] || fail 'libpapi.so exports ipmu_ symbols'

# -- sums over MPI: with the header's names those that the Fortran module binds
for mpi in ${MPIS-}; do
	[ -f "$include/ipmu_mpi.h" ] || continue
	versioned "libipmu_mpi_$mpi"
	{
		declared "$include/ipmu_mpi.h"
		grep -oiE "name *= *['\"][a-z0-9_]+['\"]" "$include/ipmu_mpi.f90" | sed "s/.*['\"]\(.*\)['\"]/\1/" |
			grep '^ipmu_'
	} | LC_ALL=C sort -u >"$scratch/mpi"
	same_names "libipmu_mpi_$mpi.so" "$scratch/mpi" "$lib/libipmu_mpi_$mpi.so"
done

# -- what only our programs load
for private in "$lib"/ipmu/*.so; do
	[ -z "$(soname "$private")" ] || fail "$private has a soname"
done
printf '%s\n' qemu_plugin_install qemu_plugin_version >"$scratch/feed"
same_names libvpmu_feed.so "$scratch/feed" "$lib/ipmu/libvpmu_feed.so"
# The preloaded library stands in front of functions of the C library, which has all that it exports.
libc=$(${CC:-cc} -print-file-name=libc.so.6)
exported "$libc" | LC_ALL=C sort -u >"$scratch/known"
exported "$lib/ipmu/libvpmu_native.so" >"$scratch/native"
LC_ALL=C comm -13 "$scratch/known" "$scratch/native" | grep . && fail 'libvpmu_native.so exports what nobody uses'
for name in open openat read pread64 ioctl mmap opendir sched_getaffinity; do
	grep -qx "$name" "$scratch/native" || fail "libvpmu_native.so does not have $name"
done
preload=$lib/ipmu/libipmu_mpi_region.so
if [ -f "$preload" ]; then
	for name in Init Init_thread Finalize Abort; do
		printf '%s\n' "MPI_$name" "PMPI_$name"
	done | LC_ALL=C sort >"$scratch/preload"
	same_names libipmu_mpi_region.so "$scratch/preload" "$preload"
	# It is in the user's ranks: it starts nothing, and leaves nothing for their end.
	nm -D --undefined-only "$preload" | grep -E ' (pthread_|atexit|on_exit|sigaction|signal|fork|PAPI_)' &&
		fail 'libipmu_mpi_region.so does more than tell'
	[ "$(wc -l <"$SRCDIR/mpi_aggregation/preload/preload.c")" -le 150 ] || fail 'preload.c grows'
fi

# -- a program without a header's function does not link, one with each of them does
{
	echo '#include <ipmu.h>'
	echo 'int main(int argc, char **argv) { void *all[] = {'
	sed 's/.*/	(void *)&,/' "$scratch/engine"
	echo '}; (void)argv; return !all[argc]; }'
} >"$scratch/all.c"
${CC:-cc} -std=gnu11 -w -I"$include" "$scratch/all.c" -o "$scratch/all" -L"$lib" -lintelpmu \
	-Wl,-rpath,"$lib" && "$scratch/all" || fail 'a program with all functions of libintelpmu.so'
${CC:-cc} -std=gnu11 -w -I"$include" "$scratch/all.c" -o "$scratch/all" "$lib/libintelpmu.a" "$lib/libpfm.a" \
	${HWLOC_LIBS:--lhwloc} -lm && "$scratch/all" || fail 'a program with all functions of libintelpmu.a'

# -- headers for C++ too
if command -v c++ >/dev/null; then
	printf '#include <ipmu.h>\n#include <ipmu_region.h>\nint main() { return !&ipmu_type_name; }\n' >"$scratch/c.cc"
	c++ -w -I"$include" "$scratch/c.cc" -o "$scratch/c" -L"$lib" -lintelpmu -Wl,-rpath,"$lib" &&
		"$scratch/c" || fail 'ipmu.h in C++'
fi

# -- each command prints the version, once and alone
[ -x "$STAGE/bin/ipmu-run" ] && run=('ipmu-run' 'ipmu-mpi-run')
for name in pmutopo vpmu ipmu-allowlist ipmu-check ipmu-config ipmu-restore "${run[@]}"; do
	[ "$("$STAGE/bin/$name" --version)" = "$name $VERSION" ] || fail "$name --version"
	[ "$("$STAGE/bin/$name" -V)" = "$name $VERSION" ] || fail "$name -V"
done

# -- the version stands in configure.ac, and NEWS.md begins with it; a base names its version
head=$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' "$SRCDIR/NEWS.md" | head -n 1)
[ "$head" = "$VERSION" ] || fail "NEWS.md begins with version '$head' instead of $VERSION"
grep -qF "AC_INIT([ipmu], [$VERSION])" "$SRCDIR/configure.ac" || fail 'the version is not that of configure.ac'
(cd "$SRCDIR" && grep -rnwF --exclude=base.json -e "$VERSION" Makefile.in ./*.pc.in env.sh.in modulefile.in README.md CONTRIBUTING.md \
	build-aux man hwloc_topo pfm_events component virtual_pmu mpi_aggregation mpi_examples demo bench) &&
	fail 'the version stands here too'
exit "$failed"
