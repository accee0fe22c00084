#!/bin/bash
# SPDX-License-Identifier: MIT
# Our patches to QEMU: each has a message and is in a series, add-to-qemu applies them, and
# refuses what it does not know. The series for QEMU (upstream/make-series) applies; its tests pass here
# and in our emulator.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs git patch
: "${SRCDIR:?the source tree}"
patches=$SRCDIR/virtual_pmu/emulator/patches add=$SRCDIR/virtual_pmu/emulator/add-to-qemu

cat "$patches"/series-* | sort -u >"$scratch/listed"
(cd "$patches" && printf '%s\n' *.patch) | diff "$scratch/listed" - >"$scratch/out"
verdict 'each patch is in a series, and each name is of a patch' $?
for patch in "$patches"/*.patch; do
	awk 'NR == 1 { bad = !/^[a-z0-9\/-]+: [a-z]/ || length($0) > 75 } NR == 2 { bad = bad || $0 != "" }
		/^--- / { exit } NR > 2 { body += NF } END { exit bad || body < 10 }' "$patch"
	verdict "${patch##*/}: a subject and a reason" $?
done

if [ ! -f "${QEMU_SRC:-none}/VERSION" ]; then
	echo 'no sources of QEMU here: not tried with them'
	finish
	exit
fi
# The files that patches change, and those that make-series searches for.
fresh() {
	rm -rf "$scratch/tree" && mkdir "$scratch/tree" &&
		sed -n 's:^--- a/::p' "$patches"/*.patch | sort -u |
		(cd "$QEMU_SRC" && while read -r file; do [ ! -f "$file" ] || echo "$file"; done
			printf '%s\n' VERSION tests/tcg/multiarch/linux) |
		tar -C "$QEMU_SRC" -cf - -T - | tar -C "$scratch/tree" -xf -
}
sum() { tar -C "$scratch/tree" --sort=name --mtime=@0 -cf - . | cksum; }
fresh
verdict 'the tree is copied' $?
sh "$add" "$scratch/tree" >"$scratch/out" 2>&1
verdict 'the patches apply' $?
before=$(sum)
sh "$add" "$scratch/tree" >"$scratch/out" 2>&1
verdict 'once more' $?
is 'nothing is changed then' "$before" "$(sum)"

fresh
sed -i 's/hsig = SIGRTMIN + 2;/hsig = SIGRTMIN + 3;/' "$scratch/tree/linux-user/signal.c"
before=$(sum)
sh "$add" "$scratch/tree" >"$scratch/out" 2>&1
is 'another signal.c: status' 1 $?
grep -q '^add-to-qemu: user-signals.patch does not apply to .*: nothing was changed$' "$scratch/out"
verdict 'another signal.c: the patch is named' $?
is 'another signal.c: nothing was changed' "$before" "$(sum)"
echo 9.2.0 >"$scratch/tree/VERSION"
sh "$add" "$scratch/tree" >"$scratch/out" 2>&1
is 'an older QEMU: status' 1 $?
grep -q '^add-to-qemu: .* is QEMU 9\.2\.0; there are patches for 10\.0' "$scratch/out"
verdict 'an older QEMU: versions are named' $?

# -- the series for QEMU
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
fresh
"$SRCDIR/upstream/make-series" qemu "$scratch/tree" "$scratch/series" >"$scratch/out" 2>&1
verdict 'the series is made' $?
cd "$scratch/tree" || exit 1
git init -q && git config user.name tester && git config user.email tester@localhost && git add -A &&
	git commit -q -m base && git am -q "$scratch/series"/*.patch >"$scratch/out" 2>&1
verdict 'it applies' $?
grep -L '^Fixes: [0-9a-f]\{10\} ("linux-user: ' "$scratch/series"/*.patch >"$scratch/out"
[ ! -s "$scratch/out" ]
verdict 'each patch names the commit that it fixes' $?
for file in "$SRCDIR"/upstream/qemu/*.c; do
	name=${file##*/} name=${name%.c}
	[ -f "tests/tcg/multiarch/linux/linux-$name.c" ]
	verdict "$name: the series has the test" $?
	${CC:-cc} -Wall -Wextra -Werror -O1 -o "$scratch/$name" "$file" >"$scratch/out" 2>&1 && "$scratch/$name"
	verdict "$name: passes on Linux" $?
	"${STAGE_LIB:?}/ipmu/qemu-x86_64" "$scratch/$name" >"$scratch/out" 2>&1
	verdict "$name: passes in the emulator" $?
done
finish
