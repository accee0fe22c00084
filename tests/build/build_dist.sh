#!/bin/bash
# SPDX-License-Identifier: MIT
# The source archive has the files of the source tree, links as they are, and nothing that was made
# there. `make distcheck` makes the emulator that it takes.
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() {
	failed=1
	echo "FAILED: $1"
	head -n 20 "$scratch/out" | sed 's/^/  | /'
}

name=ipmu-test
"$MAKE" -s -C "$BUILDDIR" DIST_NAME="$name" "$name.tar.gz" >"$scratch/out" 2>&1 &&
	tar -C "$scratch" -xzf "$BUILDDIR/$name.tar.gz" >>"$scratch/out" 2>&1 || fail 'make dist'
rm -f "$BUILDDIR/$name.tar.gz"
(cd "$scratch/$name" && find . -xtype l) >"$scratch/out"
[ ! -s "$scratch/out" ] || fail 'links that lead nowhere'

# Its check needs this tree's emulator, which an unbuilt tree has to make first.
if [ -e "$STAGE_LIB/ipmu/qemu-x86_64" ]; then
	"$MAKE" -pn -C "$BUILDDIR" help >"$scratch/out" 2>/dev/null
	grep -q '^distcheck: .*/qemu-x86_64' "$scratch/out" || fail 'make distcheck does not make the emulator'
fi

files() { LC_ALL=C sort; }
if git -C "$SRCDIR" rev-parse --show-prefix 2>/dev/null | grep -qx ''; then
	git -C "$SRCDIR" ls-files | files >"$scratch/tracked"
	git -C "$SRCDIR" ls-files -co --exclude-standard | files >"$scratch/known"
	(cd "$scratch/$name" && find . ! -type d | sed 's|^\./||') | files >"$scratch/packed"
	LC_ALL=C comm -23 "$scratch/tracked" "$scratch/packed" >"$scratch/out"
	[ ! -s "$scratch/out" ] || fail 'not in the archive'
	LC_ALL=C comm -13 "$scratch/known" "$scratch/packed" >"$scratch/out"
	[ ! -s "$scratch/out" ] || fail 'in the archive, but made here'
else
	echo 'no git checkout: what belongs into the archive is not known'
fi
exit $failed
