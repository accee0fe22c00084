#!/bin/bash
# SPDX-License-Identifier: MIT
# upstream/make-series: series for libpfm4, PAPI and msr-safe. They apply with git am to the tree that
# they were made from, and give what add-to-libpfm4 and add-to-papi give.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs git
: "${PAPI_SRC:?a PAPI source tree}" "${SRCDIR:?the source tree}"
make=$SRCDIR/upstream/make-series
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

pristine=$scratch/pristine
mkdir -p "$pristine/src/components"
cp "$PAPI_SRC"/src/{*.h,papi_events.csv,configure,configure.in} "$pristine/src/"
cp -R "$PAPI_SRC/src/components/example" "$pristine/src/components/"
tar -C "$PAPI_SRC/src" --exclude='*.[ao]' --exclude='*.so*' -cf - libpfm4/{README,config.mk,rules.mk,include,lib,docs,tests} |
	tar -C "$pristine/src" -xf -

repository() {	# repository TREE: $scratch/tree, as its project has it
	rm -rf "$scratch/tree" && cp -R "$1" "$scratch/tree" && cd "$scratch/tree" && git init -q &&
		git config user.name tester && git config user.email tester@localhost &&
		git add -A -f && git commit -q -m base
}
applies() {	# applies PROJECT TREE
	"$make" "$1" "$2" "$scratch/$1" >"$scratch/out" 2>&1
	verdict "$1: the series is made" $?
	repository "$2" && git am -q "$scratch/$1"/*.patch >"$scratch/out" 2>&1
	verdict "$1: it applies" $?
	grep -qx "Subject: \[PATCH 0/$(ls "$scratch/$1"/*.patch | wc -l)\] .*" "$scratch/$1/0000-cover-letter.txt"
	verdict "$1: the cover letter has the number of patches" $?
	git log --format='%s' HEAD | awk 'length($0) > 75 { print; bad = 1 } END { exit bad }' >"$scratch/out"
	verdict "$1: subjects fit" $?
	"$make" "$1" "$scratch/tree" "$scratch/again" >"$scratch/out" 2>&1
	is "$1: nothing is left to do" 1 $?
	grep -q 'the tree has all of it already' "$scratch/out"
	verdict "$1: it says so" $?
}
before=$(tar -C "$pristine" --sort=name --mtime=@0 -cf - . | cksum)
applies libpfm4 "$pristine/src/libpfm4"
# One family has events of one source alone, and is not sent.
is 'libpfm4: a patch for each family but one' "$(($(grep -vc '^#' "$SRCDIR/facts/families") - 1))" \
	"$(ls "$scratch/libpfm4"/*.patch | wc -l)"
"$SRCDIR/pfm_events/add-to-libpfm4" --check "$scratch/tree" >"$scratch/out" 2>&1
is 'libpfm4: the tree has what is sent' 'client_cbo: missing' "$(grep -v ': present$' "$scratch/out")"
for word in '^Source: ' 'ompared: ' 'Not known: '; do
	grep -L "$word" "$scratch/libpfm4"/*.patch >"$scratch/out"
	sed -i '/add-shared-code/d; /Not known/!{/two-names/d}' "$scratch/out"
	[ ! -s "$scratch/out" ]
	verdict "libpfm4: each message has $word" $?
done
# A prefix of the series builds without a warning and passes libpfm4's own tests; PREFIX says which. The whole
# is what the normal build has.
git -C "$scratch/tree" rev-list --reverse HEAD >"$scratch/commits"
prefix=${PREFIX:-$((RANDOM % $(wc -l <"$scratch/commits") + 1))}
echo "PREFIX=$prefix of libpfm4's series is built"
build() { (cd "$scratch/tree/$1" && ${MAKE:-make} OPTIM=-O0 CONFIG_PFMLIB_SHARED=n "$2"); }
{
	git -C "$scratch/tree" checkout -q "$(sed -n "${prefix}p" "$scratch/commits")" &&
		build lib all && build tests validate && "$scratch/tree/tests/validate" ||
		echo "FAILED: $(git -C "$scratch/tree" log -1 --format=%s)"
} >"$scratch/out" 2>&1
is 'libpfm4: what was built and validated' 'All tests passed' "$(grep -E '^FAILED|warning:|^All tests' "$scratch/out" | sort -u)"
git -C "$scratch/tree" checkout -q "$(tail -n 1 "$scratch/commits")"

# Each prefix of PAPI's series compiles without a warning: what a patch adds or changes is compiled.
compiles() {	# compiles COMMIT
	local file rc=0
	git checkout -q "$1" || return 1
	while read -r file; do
		[ -f "$file" ] || continue
		${CC:-cc} -fsyntax-only -D_GNU_SOURCE -DIPMU_HIDDEN -O1 -Wall -Wextra -Werror -Isrc -Isrc/libpfm4/include \
			-Isrc/components/intel_pmu{,/engine,/hwloc_topo} "$file" || rc=1
	done < <(git diff --name-only "$1^" "$1" -- 'src/components/intel_*/*.c' ':!*/tests/*')
	return $rc
}
decimal() {	# decimal FILE: its hexadecimal numbers in decimal
	local line
	while IFS= read -r line; do
		while [[ $line =~ (.*)(0x[0-9A-Fa-f]+)(.*) ]]; do
			line=${BASH_REMATCH[1]}$((BASH_REMATCH[2]))${BASH_REMATCH[3]}
		done
		printf '%s\n' "$line"
	done <"$1"
}
"$make" papi "$pristine" "$scratch/papi" >"$scratch/out" 2>&1
verdict 'papi: the series are made' $?
repository "$pristine"
for part in uncore core families; do
	from=$(git rev-parse HEAD)
	git am -q "$scratch/papi/$part"/*.patch >"$scratch/out" 2>&1
	verdict "papi $part: it applies" $?
	patches=$(ls "$scratch/papi/$part"/*.patch | wc -l)
	grep -qx "Subject: \[PATCH 0/$patches\] .*" "$scratch/papi/$part/0000-cover-letter.txt"
	verdict "papi $part: the cover letter has the number of patches" $?
	[ "$patches" -le 12 ]
	verdict "papi $part: at most 12 patches" $?
	git log --format='%s' "$from.." | awk 'length($0) > 75 { print; bad = 1 } END { exit bad }' >"$scratch/out"
	verdict "papi $part: subjects fit" $?
	branch=$(git rev-parse --abbrev-ref HEAD)
	for commit in $(git rev-list --reverse "$from.."); do
		compiles "$commit" >"$scratch/out" 2>&1
		verdict "papi $part: compiles: $(git log -1 --format=%s "$commit")" $?
	done
	git checkout -q "$branch"
	[ "$part" != core ] || {
		"$SRCDIR/component/add-to-papi" --families core --check "$scratch/tree" >"$scratch/out" 2>&1
		verdict 'papi core: the tree has what add-to-papi adds for core' $?
		is 'papi core: no other family' "$(awk -F'\t' '$1 == "core" { print $4 }' "$SRCDIR/component/families")" \
			"$(sed -n 's/^FAMILY(\(.*\)).*/\1/p' src/components/intel_pmu/engine/pmu/family_list.h | paste -sd ' ')"
	}
	[ "$part" != uncore ] || {
		is 'papi uncore: it changes nothing else' 'github intel_uncore' "$(git diff --name-only "$from" |
			sed 's:^\.github/.*:github:; s:^src/components/\([^/]*\)/.*:\1:' | sort -u | paste -sd ' ')"
		[ "$(cat "$scratch/papi/uncore"/*.patch | grep -c '^+')" -le 6000 ]
		verdict 'papi uncore: at most 6000 lines' $?
		# Its events are those of libpfm4's table, whose codes were computed by hand.
		awk -F'[",]' 'NF > 7 && !/UNIT_CLK/ { printf "%s\t%d\n", $2, 5242880 + $5 + 256 * $6 + 16777216 * $7 }
			' <(decimal src/components/intel_uncore/skl_events.h) | sort >"$scratch/ours"
		sed -n 's/^\(skl_unc_[a-z]*\)[0-9]*::\([^:]*:[A-Z_]*\)\t\(0x[0-9a-f]*\)\t.*/\1.\2 \3/p' \
			"$SRCDIR/pfm_events/skl_unc/goldens_skl_unc.tsv" | while read -r name code; do
			printf '%s\t%d\n' "$name" "$code"
		done | sort -u >"$scratch/golden"
		comm -23 "$scratch/ours" "$scratch/golden" >"$scratch/out"
		[ -s "$scratch/ours" ] && [ ! -s "$scratch/out" ]
		verdict 'papi uncore: events have the codes of libpfm4'"'"'s' $?
	}
done
"$SRCDIR/component/add-to-papi" --check "$scratch/tree" >"$scratch/out" 2>&1
verdict 'papi: the tree has what add-to-papi adds' $?
"$make" papi "$scratch/tree" "$scratch/again" >"$scratch/out" 2>&1
is 'papi: nothing is left to do' 1 $?
grep -q 'the tree has all of it already' "$scratch/out"
verdict 'papi: it says so' $?
# The groups name families of the engine and of libpfm4, each once; one group has all others.
column() { awk -F'\t' -v n="$1" '!/^#/ { print $n }' "$SRCDIR/component/families" | tr ' ' '\n' | grep -v '^\*$' | LC_ALL=C sort; }
is 'groups name families of the engine' '' "$(sed -n 's/^FAMILY(\(.*\)).*/\1/p' "$SRCDIR/component/engine/pmu/family_list.h" |
	LC_ALL=C sort | LC_ALL=C comm -13 - <(column 4))"
is 'groups name families of libpfm4' '' "$(LC_ALL=C sort "$SRCDIR/facts/families" | LC_ALL=C comm -13 - <(column 3))"
"$SRCDIR/component/add-to-papi" --families itanium "$scratch/tree" >"$scratch/out" 2>&1
is 'papi: no such group: status' 1 $?

# Corrections of PAPI: one thing each, with a test. Their tree is newer than the one here may be.
for patch in "$SRCDIR"/upstream/papi-fixes/*.patch; do
	git apply --numstat "$patch" >"$scratch/out" 2>&1 &&
		grep -Eq '	src/(ctests|components/example/tests)/[a-z_]*\.c$' "$scratch/out"
	verdict "papi-fixes: ${patch##*/} is whole and has a test" $?
done
if grep -qs overwrite_qualifiers "$PAPI_SRC/src/papi_internal.c"; then
	"$make" papi-fixes "$PAPI_SRC" "$scratch/fixes" >"$scratch/out" 2>&1
	verdict 'papi-fixes: the series is made' $?
else
	"$make" papi-fixes "$pristine" "$scratch/fixes" >"$scratch/out" 2>&1
	is 'papi-fixes: an old PAPI: status' 1 $?
fi

is 'the trees are not changed' "$before" "$(tar -C "$pristine" --sort=name --mtime=@0 -cf - . | cksum)"

"$make" msr-safe "$scratch/msr-safe" >"$scratch/out" 2>&1
verdict 'msr-safe: the allowlists are made' $?
ipmu-allowlist --machine skylake-client | cmp - "$scratch/msr-safe/skylake-client" >"$scratch/out" 2>&1
verdict 'msr-safe: that of a Skylake client' $?
"$make" libpfm4 "$scratch/nowhere" "$scratch/none" >"$scratch/out" 2>&1
is 'no such tree: status' 1 $?
[ ! -e "$scratch/none" ]
verdict 'no such tree: no folder' $?
finish
