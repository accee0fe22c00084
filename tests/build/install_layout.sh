#!/bin/bash
# SPDX-License-Identifier: MIT
# Built from the source archive with a distribution's directories, and installed with DESTDIR, it works
# from there; make installcheck says so, and says what does not once something is taken away.
set -u
: "${BUILDDIR:?}" "${BUILD:?its objects}" "${LIBPFM4_BUILD:?}" "${PAPI_BUILD:?}"
make=${MAKE:-make}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
unset CFLAGS MAKEFLAGS LD_LIBRARY_PATH STAGE VPMU MANPATH CONFIG_SITE
export CONFIG_SHELL=$BASH	# saves each configure the search for one: 35 processes
build=$scratch/build root=$scratch/root usr=$scratch/root/usr
lib=$usr/lib/x86_64-linux-gnu

name=ipmu-layout
$make -s -C "$BUILDDIR" DIST_NAME=$name $name.tar.gz && tar -C "$scratch" -xzf "$BUILDDIR/$name.tar.gz" ||
	{ echo 'make dist failed'; exit 1; }
rm -f "$BUILDDIR/$name.tar.gz"
mkdir "$build" "$scratch/bin" && cd "$build" || exit 1
# PAPI's own -O and -g are overridden, too: only places are checked. Errors of GCC 14 are added.
errors=(-Werror={implicit-int,implicit-function-declaration}
	-Werror={incompatible-pointer-types,int-conversion})
printf '#!/bin/sh\nexec %s "$@" -O0 -g0\n' "${CC:-cc} ${errors[*]}" >"$scratch/cc"
chmod +x "$scratch/cc"
"$CONFIG_SHELL" "../$name/configure" CC="$scratch/cc" CFLAGS=-O0 --with-mpi="${MPIS%% *}" --prefix=/usr --libdir=/usr/lib/x86_64-linux-gnu \
	--mandir=/usr/lib/man --docdir=/usr/share/doc/libipmu --includedir=/usr/include/intel \
	--sysconfdir=/etc --with-papi-src="$PAPI_SRC" --with-libpfm4-src="$LIBPFM4_SRC" \
	--with-qemu="$(type -P qemu-x86_64)" >configured 2>&1 ||
	{ tail -n 20 configured; exit 1; }
# PAPI's configure has tested this compiler before: only folders are different.
sed -n '/^ac_cv_\(c\|f77\|file__\(dev\|proc\|sys\)\|func\|header\|path\|prog\|safe\)_/p' \
	"$PAPI_BUILD/src/config.log" >"$scratch/site" || exit 1
[ "$(wc -l <"$scratch/site")" -gt 30 ] || fail 'no answers in the config.log of PAPI'
# libpfm4 takes longest to compile, and does not know where it is installed: only that is left to do.
mkdir -p third_party && cp -a "$LIBPFM4_BUILD" third_party/libpfm4 && touch third_party/libpfm4.copied
# Of our objects few know it: the others are the build's. They must be newer than what they depend on.
objects_of() {	# objects_of FOLDER ROOM...: FOLDER of $BUILD
	local from=$1
	shift
	(cd "../$name" && grep -rLE 'IPMU_[A-Z]+_TO_[A-Z]+' --include='*.c' "$@") | sed 's/c$/o/' |
		(cd "$BUILD/$from" && while read -r object; do
			[ ! -f "$object" ] || echo "$object"
		done | xargs cp --parents -t "$build/obj/$from")
}
make_all() {
	local mpi=${MPIS%% *}
	$make -s obj/flags third_party/libpfm4.built || return
	mkdir -p obj ${mpi:+"obj/$mpi"}
	objects_of . common component hwloc_topo virtual_pmu mpi_aggregation/run || return
	CONFIG_SITE=$scratch/site $make -s third_party/papi.built || return
	[ ! -d "$BUILD/ipmu_run" ] || objects_of . ipmu_run measure || return
	[ -z "$mpi" ] || [ ! -d "$BUILD/$mpi/mpi_aggregation" ] ||
		objects_of "$mpi" mpi_aggregation || return
	$make -s all
}
make_all >built 2>&1 || { tail -n 20 built; exit 1; }

installed() { $make -s "$@" DESTDIR="$root" >"$scratch/out" 2>&1; }
listing() { (cd "$1" && find . -mindepth 1 | LC_ALL=C sort); }
installed install-built || { cat "$scratch/out"; fail 'make install'; }

# -- everything is where it was to be
for file in bin/vpmu bin/papi_avail lib/x86_64-linux-gnu/libpapi.so lib/x86_64-linux-gnu/libpfm.so.4 \
	lib/x86_64-linux-gnu/libintelpmu.so.0 lib/x86_64-linux-gnu/libintelpmu.a \
	lib/x86_64-linux-gnu/ipmu/libvpmu_feed.so lib/x86_64-linux-gnu/pkgconfig/papi.pc \
	lib/man/man1/vpmu.1 lib/man/man3/libpfm.3 include/intel/papi.h include/intel/perfmon/pfmlib.h \
	include/intel/ipmu/ipmu.h share/doc/libipmu/README.md share/ipmu/env.sh; do
	[ -f "$usr/$file" ] || fail "no usr/$file"
done
(cd "$usr" && ls -d lib/*.so* share/man include/*.h man 2>/dev/null) | grep . && fail 'these are elsewhere'
[ "$(ls "$root")" = usr ] || fail "beside usr: $(ls "$root")"
grep -rlIF -e "$build" -e "$root" "$root" && fail 'these name the build or DESTDIR'

# -- the guardian of MPI jobs, which nothing below starts, is found by the path from there
if [ -f "$lib/libipmu_mpi_${MPIS%% *}.so" ]; then
	grep -qaF '/../../bin/ipmu-restore' "$lib/libipmu_mpi_${MPIS%% *}.so" || fail 'the way to ipmu-restore'
	[ -x "$lib/../../bin/ipmu-restore" ] || fail 'no ipmu-restore at the end of it'
fi

# -- it works from there, without what it was built in
mv stage away
installed installcheck || { cat "$scratch/out"; fail 'make installcheck'; }
grep -q '^[0-9]* passed, 0 failed$' "$scratch/out" || fail 'installcheck does not count'

# -- env.sh and the modulefile name these directories
got=$(env -i PATH=/usr/bin:/bin bash -c '. "$1"; echo "$LD_LIBRARY_PATH $PKG_CONFIG_PATH $MANPATH"' - \
	"$usr/share/ipmu/env.sh")
[ "$got" = "$lib $lib/pkgconfig $usr/lib/man:" ] || fail "env.sh: $got"
grep -qx 'prepend-path MANPATH $prefix/lib/man' "$usr/share/ipmu/modulefile" || fail 'MANPATH in modulefile'
grep -qx 'set prefix /usr' "$usr/share/ipmu/modulefile" || fail 'prefix in modulefile'

# -- what is taken away is missed; elsewhere nothing is installed
mkdir "$scratch/gone"
mv "$lib/libintelpmu.so.0" "$usr/lib/man/man1/vpmu.1" "$usr/bin/pmutopo" "$scratch/gone"
# Nothing has to be counted once more.
mv "$lib/ipmu/qemu-x86_64" "$scratch/gone"
installed installcheck && fail 'installcheck misses nothing'
for said in 'it takes the shared library' 'man vpmu' 'pmutopo --version'; do
	grep -qx "FAILED: $said" "$scratch/out" || { cat "$scratch/out"; fail "installcheck does not say '$said'"; }
done
mv "$scratch/gone/libintelpmu.so.0" "$lib" && mv "$scratch/gone/vpmu.1" "$usr/lib/man/man1" &&
	mv "$scratch/gone/pmutopo" "$usr/bin" && mv "$scratch/gone/qemu-x86_64" "$lib/ipmu"
installed installcheck prefix=/opt/else && fail 'installcheck of nothing succeeds'
grep -q 'nothing is installed' "$scratch/out" || fail 'installcheck of nothing does not say so'

# -- the ways between directories cannot be changed when it is too late
installed install-built libdir=/usr/lib64 && fail 'another libdir on the command line of make'
grep -q '/usr/lib64 instead of /usr/lib/x86_64-linux-gnu' "$scratch/out" || fail 'the error does not name libdir'
[ ! -e "$usr/lib64" ] || fail 'it has installed something all the same'

mv away stage
installed uninstall || { cat "$scratch/out"; fail 'make uninstall'; }
[ -z "$(listing "$root")" ] || { listing "$root"; fail 'left behind'; }
exit "$failed"
