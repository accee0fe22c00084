#!/bin/bash
# SPDX-License-Identifier: MIT
# What `make deb` and `make dist-qemu` report if something is missing, and what they do about it; that the
# Debian source package keeps all files of QEMU's; that configure takes the emulator of `make dist-qemu`.
# `make check-deb` builds the packages.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${SRCDIR:?}" "${STAGE_LIB:?}" "${VERSION:?}" "${PAPI_SRC:?}" "${LIBPFM4_SRC:?}"
needs dpkg-source qemu-x86_64
cd "$scratch" || exit 1
mkdir -p bin src/{papi,libpfm4}-1 src/qemu-1/{build,pc-bios,roms} archive
touch src/{papi,libpfm4}-1/file src/qemu-1/{configure,pc-bios/vdso.so,build/made,roms/firmware}
echo 'General Public License' >src/qemu-1/COPYING
mkdir -p "archive/ipmu-$VERSION" && cp -r "$SRCDIR/debian" "archive/ipmu-$VERSION" &&
	tar -C archive -czf dist.tar.gz "ipmu-$VERSION"

# Packages are missing until the stand-in of apt-get has installed them.
cat >bin/dpkg-checkbuilddeps <<'E2'
#!/bin/sh
[ -e installed ] || echo 'dpkg-checkbuilddeps: error: Unmet build dependencies: debhelper-compat (= 13) some:any' >&2
[ -e installed ]
E2
printf '#!/bin/sh\ncase "$*" in *install*debhelper-compat\\ some:any) echo "$*" >installed ;; esac\n' >bin/apt-get
printf '#!/bin/sh\necho "built with $*"\n' >bin/dpkg-buildpackage
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
chmod +x bin/*

deb() {	# deb QEMU_SRC INSTALL_DEPS [OPTION...]: to $scratch/out, $status
	SRCDIR=$SRCDIR VERSION=$VERSION DIST=dist.tar.gz PAPI_SRC=$PWD/src/papi-1 LIBPFM4_SRC=$PWD/src/libpfm4-1 \
		QEMU_SRC=$1 INSTALL_DEPS=$2 PATH=$PWD/bin:$PATH bash "$SRCDIR/build-aux/deb" deb "${@:3}" >out 2>&1
	status=$?
}
deb '' no -b
is 'no sources of QEMU: the status' 1 $status
is 'no sources of QEMU' \
	'deb: the packages contain QEMU: give configure --install-deps or --with-qemu-src=DIR' "$(cat out)"
deb "$PWD/src/qemu-1" no -b
is 'missing packages: the status' 1 $status
is 'missing packages' 'deb: packages are missing; to install them: sudo apt-get install debhelper-compat some:any' \
	"$(cat out)"
[ ! -e deb ]
verdict 'missing packages: nothing is made' $?
deb "$PWD/src/qemu-1" yes -b
verdict 'with --install-deps' $status
grep -qx 'built with -b' out
verdict 'with --install-deps: built' $?

deb "$PWD/src/qemu-1" no
verdict 'the source package' $status
is "the files of QEMU's that are packed" 'qemu/COPYING qemu/configure qemu/pc-bios/vdso.so' \
	"$(tar -tzf "deb/ipmu_$VERSION.orig-qemu.tar.gz" | grep -v '/$' | sort | paste -sd' ')"

# -- each package has files
for name in $(sed -n 's/^Package: //p' "$SRCDIR/debian/control"); do
	[ -s "$SRCDIR/debian/$name.install" ]
	verdict "$name has files" $?
done

# -- the emulator alone
emulator() {	# emulator QEMU_SRC: to $scratch/out
	SRCDIR=$SRCDIR QEMU=$(type -P qemu-x86_64) QEMU_SRC=$1 bash "$SRCDIR/build-aux/dist-qemu" ipmu-qemu >out 2>&1
}
emulator ''
is 'an emulator from elsewhere: the status' 1 $?
grep -q '^dist-qemu: the emulator was built elsewhere: run configure without --with-qemu' out
verdict 'an emulator from elsewhere' $?
emulator "$PWD/src/qemu-1"
verdict 'the emulator' $?
is 'its files' 'ipmu-qemu/COPYING ipmu-qemu/NOTICE.md ipmu-qemu/qemu-1.tar.gz ipmu-qemu/qemu-x86_64' \
	"$(tar -tzf ipmu-qemu.tar.gz | grep -v '/$' | sort | paste -sd' ')"
tar -xzf ipmu-qemu.tar.gz
is 'its sources' 'qemu-1/COPYING qemu-1/configure qemu-1/pc-bios/vdso.so' \
	"$(tar -tzf ipmu-qemu/qemu-1.tar.gz | grep -v '/$' | sort | paste -sd' ')"
# A configured source tree refuses other build trees: a copy of what configure needs.
mkdir -p tree/component/engine build && cp -r "$SRCDIR"/{configure,Makefile.in,build-aux} tree &&
	cp "$SRCDIR/component/engine/ipmu.h" tree/component/engine && cd build || exit 1
../tree/configure --with-papi-src="$PAPI_SRC" --with-libpfm4-src="$LIBPFM4_SRC" --disable-mpi \
	--with-qemu=../ipmu-qemu/qemu-x86_64 >../out 2>&1
verdict 'configure takes it' $?
grep -q 'virtual machine   yes (.*/ipmu-qemu/qemu-x86_64)' ../out
verdict 'configure says so' $?
finish
