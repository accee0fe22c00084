#!/bin/bash
# SPDX-License-Identifier: MIT
# make install and make uninstall: whole, relocated text, nothing left, nothing else touched.
set -u
: "${STAGE:?the staged tree}" "${STAGE_LIB:?its libraries}" "${BUILDDIR:?}"
make=${MAKE:-make}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
target() { $make -s -C "$BUILDDIR" "$@" >"$scratch/out" 2>&1; }
# A libdir that configure was given does not move with the prefix.
at() { echo "prefix=$1"; grep -q '^libdir = [$]' "$BUILDDIR/Makefile" || echo "libdir=$1${STAGE_LIB#"$STAGE"}"; }
listing() { (cd "$1" && find . -mindepth 1 | LC_ALL=C sort); }
files() { (cd "$1" && find . ! -type d ! -path '*/__pycache__/*' | LC_ALL=C sort); }

# -- everything of the stage arrives, under DESTDIR and prefix
root=$scratch/root
target install-built DESTDIR="$root" $(at /opt/ipmu) || { cat "$scratch/out"; fail 'make install'; }
diff <(files "$STAGE") <(files "$root/opt/ipmu" | grep -v '/install-manifest$') ||
	fail 'installed and staged files differ'
grep -rlIF -e "$STAGE" -e "$root" "$root/opt/ipmu" && fail 'these name the build or DESTDIR'
grep -q '^set prefix /opt/ipmu$' "$root/opt/ipmu/share/ipmu/modulefile" || fail 'prefix in modulefile'
[ -z "$(find "$root" ! -type l -perm /022)" ] || fail 'something is writable for others'
[ -z "$(find "$root" -type f ! -perm -444)" ] || fail 'something is not readable for all'
env -i PATH=/usr/bin:/bin "$root/opt/ipmu/bin/papi_component_avail" >/dev/null ||
	fail 'installed papi_component_avail'

# -- again, with a file that is not there any more: it goes
mkdir -p "$root/opt/ipmu/share/ipmu/old"
touch "$root/opt/ipmu/share/ipmu/old/file"
printf '%s\n' /opt/ipmu/share/ipmu/old/ /opt/ipmu/share/ipmu/old/file \
	>>"$root/opt/ipmu/share/ipmu/install-manifest"
target install-built DESTDIR="$root" $(at /opt/ipmu) || fail 'second make install'
[ ! -e "$root/opt/ipmu/share/ipmu/old/file" ] || fail 'a file of the former installation stays'

# -- nothing is left, nor what Python has compiled of the module
env -i PATH=/usr/bin:/bin PYTHONPATH="$root/opt/ipmu/share/ipmu/python" python3 -c 'import ipmu' ||
	fail 'installed Python module'
target uninstall DESTDIR="$root" $(at /opt/ipmu) || { cat "$scratch/out"; fail 'make uninstall'; }
[ -z "$(listing "$root")" ] || { listing "$root"; fail 'left behind'; }
target uninstall DESTDIR="$root" $(at /opt/ipmu) && fail 'uninstall of nothing succeeds'
grep -q 'nothing is installed' "$scratch/out" || fail 'uninstall of nothing does not say so'

# -- into a prefix in use, without DESTDIR: other people's files and folders stay, empty ones too
other=$scratch/local
mkdir -p "$other/bin" "$other/lib/pkgconfig" "$other/share/empty"
echo mine >"$other/bin/tool"
before=$(listing "$other")
target install-built $(at "$other") || fail 'install into a prefix in use'
grep -q "^ipmu_prefix=.*$other" "$other/share/ipmu/env.sh" || fail 'prefix in env.sh'
target uninstall $(at "$other") || fail 'uninstall from a prefix in use'
[ "$before" = "$(listing "$other")" ] || fail 'the prefix is not as it was before'
[ "$(cat "$other/bin/tool")" = mine ] || fail "another's tool was changed"

# -- a target folder that cannot be written is an error, and is named
: >"$scratch/file"
target install-built $(at "$scratch/file/x") && fail 'install below a file succeeds'
grep -q "$scratch/file" "$scratch/out" || fail 'the error does not name the folder'
target install-built $(at "$scratch/a:b") && fail 'install into a prefix that programs cannot be started from'
grep -q 'special characters do not work' "$scratch/out" || fail 'the error does not name the characters'
[ ! -e "$scratch/a:b" ] || fail 'it has installed something all the same'
exit "$failed"
