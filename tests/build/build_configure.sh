#!/bin/bash
# SPDX-License-Identifier: MIT
# What configure reports when something is missing or wrong, and that it works outside the source
# tree.
set -u
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
: "${PAPI_SRC:?a PAPI source tree}" "${LIBPFM4_SRC:?a libpfm4 source tree}"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
emulator=$(type -P qemu-x86_64) || { echo 'SKIP: no emulator'; exit 77; }
trees=(--with-papi-src="$PAPI_SRC" --with-libpfm4-src="$LIBPFM4_SRC" --with-qemu="$emulator")
failed=0
unset CC CFLAGS MAKEFLAGS TESTS CONFIG_SITE CONFIG_SHELL

# A configured source tree refuses other build trees: test a copy of what configure needs.
# Installed packages are checked once for each list of ANSWERS: that takes half of configure's
# time.
mkdir -p "$scratch/src/component/engine" "$scratch/answers"
cp -r "$srcdir/configure" "$srcdir/Makefile.in" "$srcdir/build-aux" "$scratch/src/"
cp "$srcdir/component/engine/ipmu.h" "$scratch/src/component/engine/"
srcdir=$scratch/src
mv "$srcdir/build-aux/deps" "$srcdir/build-aux/deps-asked"
cat >"$srcdir/build-aux/deps" <<'END'
#!/bin/sh
[ "$1" = missing ] && [ -n "${ANSWERS-}" ] || exec sh "$0-asked" "$@"
answer=$(IFS=_; echo "$ANSWERS/$*")
[ -e "$answer" ] || sh "$0-asked" "$@" >"$answer"
while read -r line; do
	echo "$line"
done <"$answer"
END

configure() {	# configure WANTED-STATUS ARGUMENT...: in a new build folder; output in $out
	local want=$1
	shift
	rm -rf "$scratch/build"
	mkdir "$scratch/build"
	out=$(cd "$scratch/build" && ${CONFIG_SHELL-} "$srcdir/configure" "$@" 2>&1)
	status=$?
	[ "$status" = "$want" ] || fail "status $status instead of $want: configure $*"
}
fail() { echo "FAILED: $*"; sed 's/^/  | /' <<<"$out"; failed=1; }
says() { [[ $out = *"$1"* ]] || fail "does not say '$1'"; }
never() { [[ $out != *"$1"* ]] || fail "says '$1'"; }
errors() { [ "$(grep -c 'error:' <<<"$out")" = "$1" ] || fail "not $1 error message(s)"; }

# A PATH with the base system's tools only, and no pkg-config modules at all.
bare() {
	local tools
	mkdir -p "$scratch/bare"
	mapfile -t tools < <(type -P sh bash sed grep awk cat tr expr uname rm mkdir mv cp ls chmod paste cmp id \
		dirname basename sort printf test date hostname)
	ln -s "${tools[@]}" "$scratch/bare"
}

# -- packages missing: each is named, with what it is for and the command that gets it
bare
# Not even /usr/sbin may show what the machine really has.
sed 's|^PATH=.*|PATH=$PATH|' "$srcdir/build-aux/deps-asked" >"$scratch/deps"
out=$(PATH=$scratch/bare PKG_CONFIG_LIBDIR=/nonexistent sh "$scratch/deps" missing base emulator plots openmpi mpich check)
for package in gcc libc6-dev make pkg-config libhwloc-dev; do
	[[ $'\n'$out =~ $'\n'"$package must ". ]] || fail "$package is not named as needed"
done
for package in ninja-build libglib2.0-dev libcmocka-dev libmuparser-dev libdw-dev hwloc-nox gnuplot-nox libopenmpi-dev openmpi-bin libmpich-dev mpich valgrind msr-tools; do
	[[ $'\n'$out =~ $'\n'"$package want ". ]] || fail "$package is not named as wanted"
done
PATH=$scratch/bare PKG_CONFIG_LIBDIR=/nonexistent configure 1 "${trees[@]}"
errors 1
says 'libhwloc-dev: '
says 'apt-get install gcc '
says '--install-deps'
never 'installing packages'

# From here on configure need not search for the best shell each time, which takes 35 processes.
export CONFIG_SHELL=$BASH
export ANSWERS=$scratch/answers

# -- no sources: nothing is fetched unasked, both ways out are named
configure 1
errors 1
says '--install-deps'
says '--with-papi-src=DIR --with-libpfm4-src=DIR'
[ ! -d "$scratch/build/third_party/src" ] || fail 'sources were fetched unasked'

# -- wrong trees
configure 1 --with-papi-src="$scratch" --with-libpfm4-src="$LIBPFM4_SRC"
errors 1
says "--with-papi-src=$scratch: not a PAPI source tree"
configure 1 --with-papi-src="$PAPI_SRC" --with-libpfm4-src="$PAPI_SRC"
errors 1
says "--with-libpfm4-src=$PAPI_SRC: not a libpfm4 source tree"
mkdir -p "$scratch/old/src"
echo '#define PAPI_VERSION  PAPI_VERSION_NUMBER(5,7,0,0)' >"$scratch/old/src/papi.h"
configure 1 --with-papi-src="$scratch/old" --with-libpfm4-src="$LIBPFM4_SRC"
errors 1
says "PAPI 5.7.0 in $scratch/old: 7.0 to 7.3 is needed"

# -- emulators: those that this project has not built are refused
other=$(type -P true)
configure 1 "${trees[@]}" --with-qemu="$other"
errors 1
says "--with-qemu=$other: cannot run the virtual
machine: this QEMU lacks the project's patches; give the "

# -- options: a mistyped one is an error, whichever kind it is
configure 1 --install-dep "${trees[@]}"
says '--install-dep'
configure 1 --enable-weror "${trees[@]}"
says '--enable-weror'
configure 0 --help
says '--install-deps'
says '--with-papi-src=DIR'

ANSWERS='' configure 1 CC=/nonexistent/gcc "${trees[@]}"
errors 1
says 'CC=/nonexistent/gcc: there is no such compiler'

# -- MPI: those that are chosen, in that order, and no others
absent=$(sh "$srcdir/build-aux/deps" missing base plots openmpi mpich)
chooses() {	# chooses MPIS ARGUMENT...: with these MPIs, if they are here
	local mpi=$1
	shift
	if [[ ,$mpi = *,openmpi* && $absent = *openmpi* ]] || [[ ,$mpi = *,mpich* && $absent = *mpich* ]]; then
		configure 0 --without-mpi "${trees[@]}" "$@"
		return
	fi
	configure 0 --with-mpi=$mpi "${trees[@]}" "$@"
	has "MPIS = ${mpi//,/ }"
	says "MPI programs      yes (${mpi//,/ })"
}
has() {	# has LINE...: of the makefile that was made
	local line made
	made=$'\n'$(<"$scratch/build/Makefile")$'\n'
	for line; do
		[[ $made = *$'\n'"$line"$'\n'* ]] || fail "no line '$line'"
	done
}
empty() {	# empty VARIABLE: of that makefile
	local made
	made=$'\n'$(<"$scratch/build/Makefile")$'\n'
	[[ $made =~ $'\n'"$1 = "' '*$'\n' ]] || fail "$1 is not empty"
}

mkdir "$scratch/guard"
for tool in apt-get sudo; do
	printf '#!/bin/sh\necho "%s was called"\nexit 1\n' "$tool" >"$scratch/guard/$tool"
	chmod +x "$scratch/guard/$tool"
done

# -- meson: QEMU needs the module, so that a command of another Python's does not count
if type -P python3 >/dev/null; then
	printf '#!/bin/sh\necho 9.0\n' >"$scratch/guard/meson"
	chmod +x "$scratch/guard/meson"
	for version in 1.4.9 1.5.0 1.10.1; do
		mkdir -p "$scratch/$version/meson-$version.dist-info"
		printf 'Name: meson\nVersion: %s\n' $version >"$scratch/$version/meson-$version.dist-info/METADATA"
		out=$(PATH=$scratch/guard:$PATH PYTHONPATH=$scratch/$version sh "$srcdir/build-aux/deps" meson \
			"$scratch/fetched" 2>&1)
		[ $version = 1.4.9 ] || never 'was called'
		[ $version != 1.4.9 ] || says 'apt-get was called'
	done
	rm "$scratch/guard/meson"
fi

# -- the literal --install-deps: known, silent about itself; with everything there it needs no
# network and no root, which a PATH without apt-get and sudo shows
if [ -z "$absent" ]; then
	PATH=$scratch/guard:$PATH chooses openmpi,mpich --install-deps --libdir='${prefix}'
	never 'was called'
	never 'WARNING'
	has 'LIB = .' 'BIN_TO_LIB = ..' 'LIB_TO_BIN = bin' 'PKGCONFIG_UP = ..'
fi

# -- --install-deps: what building and counting need; with =check also the packages of tests and both MPIs;
# those of an MPI that is requested
mkdir "$scratch/lists"
echo 'one must x' >"$scratch/lists/missing_base"
printf '%s\n' 'one must x' 'two want x' >"$scratch/lists/missing_base_mpich"
printf '%s\n' 'one must x' 'two want x' 'three want x' >"$scratch/lists/missing_base_plots_openmpi_mpich_check"
installs() {	# installs PACKAGES OPTION...
	PATH=$scratch/guard:$PATH ANSWERS=$scratch/lists configure 1 "${trees[@]}" "${@:2}"
	says "installing packages: $1 "$'\n'
	says 'apt-get was called'
}
installs one --install-deps
installs 'one two' --install-deps --with-mpi=mpich
installs 'one two three' --install-deps=check
configure 1 --install-deps=everything "${trees[@]}"
says '--install-deps=everything'

# -- directories: all of GNU's, with the way between those in which something is installed
all_of_gnu=(--sbindir=/x/sbin --libexecdir=/x/libexec --sysconfdir=/etc --sharedstatedir=/x/com
	--localstatedir=/var --runstatedir=/run --oldincludedir=/x/include --infodir=/x/info
	--localedir=/x/locale --htmldir=/x/html --dvidir=/x/dvi --pdfdir=/x/pdf --psdir=/x/ps)
# Only optional packages are missing, too: reported, and the rest continues.
PKG_CONFIG=$scratch/less
printf '#!/bin/sh\ncase "$*" in *cmocka* | *muparser*) exit 1 ;; esac\nexec pkg-config "$@"\n' >"$PKG_CONFIG"
chmod +x "$PKG_CONFIG"
export PKG_CONFIG
plain=(--without-mpi "${trees[@]}")
ANSWERS='' configure 0 "${plain[@]}"
unset PKG_CONFIG
says 'make check skips what needs these packages'
says 'libcmocka-dev'
says 'unit tests        no'
says 'libmuparser-dev: '
says 'ipmu-run          no'
never 'error:'
empty MPIS
has 'install_root = $(prefix)' 'BIN = bin' 'LIB = lib' 'INCLUDE = include' 'SHARE = share' 'MAN = share/man' \
	'DOC = share/doc/ipmu' 'BIN_TO_LIB = ../lib' 'LIB_TO_BIN = ../bin' 'PKGCONFIG_UP = ../..' 'SHARE_UP = ../..'
says 'install to        /usr/local'
chooses openmpi --prefix=/usr --libdir='${prefix}/lib/x86_64-linux-gnu' --mandir=/usr//man/ \
	--docdir=/usr/doc/x "${all_of_gnu[@]}"
has 'install_root = $(prefix)' 'BIN = bin' 'LIB = lib/x86_64-linux-gnu' 'MAN = man' 'DOC = doc/x' \
	'BIN_TO_LIB = ../lib/x86_64-linux-gnu' 'LIB_TO_BIN = ../../bin' 'PKGCONFIG_UP = ../../..'
# Out of the source tree, with relative paths, which become absolute.
relative() { realpath --relative-to="$scratch/build" "$1"; }
configure 0 --prefix=/opt/x --datarootdir=/opt/x/data --includedir=/opt/x/inc --bindir=/opt/x/a/b \
	--libdir=/opt/x/a/l --disable-mpi --enable-werror \
	--with-papi-src="$(relative "$PAPI_SRC")" --with-libpfm4-src="$(relative "$LIBPFM4_SRC")" \
	--with-qemu="$(relative "$emulator")"
says 'ipmu '
says '/opt/x'
says 'make demo'
[ -n "$(sh "$srcdir/build-aux/deps" missing base plots)" ] || never 'WARNING'
has "PAPI_SRC = $(realpath "$PAPI_SRC")" 'WERROR = -Werror'
empty MPICC
make -s -C "$scratch/build" help | grep -q '^make check ' || fail 'make help'
has 'install_root = $(prefix)' 'SHARE = data' 'MAN = data/man' 'DOC = data/doc/ipmu' 'INCLUDE = inc' 'BIN = a/b' \
	'LIB = a/l' 'BIN_TO_LIB = ../l' 'LIB_TO_BIN = ../b' 'PKGCONFIG_UP = ../../..'
# Outside the prefix: what holds all of it is the root, which the prefix does not move.
chooses mpich --prefix=/opt/x --exec-prefix=/opt/arch
has 'install_root = /opt' 'BIN = arch/bin' 'LIB = arch/lib' 'SHARE = x/share' 'BIN_TO_LIB = ../lib'
chooses mpich,openmpi --prefix=/usr --libdir=/lib/x
has 'install_root = /' 'BIN = usr/bin' 'LIB = lib/x' 'BIN_TO_LIB = ../../lib/x' 'PKGCONFIG_UP = ../../..'
configure 1 --libdir='/usr/li b' "${plain[@]}"
says 'special characters do not work'

# -- MPI: a name that is none
configure 1 --with-mpi=lam "${trees[@]}"
says '--with-mpi=lam: openmpi, mpich, or both'

exit "$failed"
