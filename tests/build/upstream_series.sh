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
cp "$PAPI_SRC"/src/{papi.h,configure,configure.in} "$pristine/src/"
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
is 'libpfm4: a patch for each family but one' "$(($(grep -vc '^#' "$SRCDIR/pfm_events/families") - 1))" \
	"$(ls "$scratch/libpfm4"/*.patch | wc -l)"
"$SRCDIR/pfm_events/add-to-libpfm4" --check "$scratch/tree" >"$scratch/out" 2>&1
is 'libpfm4: the tree has what is sent' 'client_cbo: missing' "$(grep -v ': present$' "$scratch/out")"
for word in '^Source: ' 'ompared: ' 'Not known: '; do
	grep -L "$word" "$scratch/libpfm4"/*.patch >"$scratch/out"
	sed -i '/add-shared-code/d; /Not known/!{/two-names/d}' "$scratch/out"
	[ ! -s "$scratch/out" ]
	verdict "libpfm4: each message has $word" $?
done
# A prefix of the series and the whole build without a warning and pass libpfm4's own tests.
git -C "$scratch/tree" rev-list --reverse HEAD >"$scratch/commits"
sed -n '9p; $p' "$scratch/commits" | while read -r commit; do
	git -C "$scratch/tree" checkout -q "$commit" &&
		(cd "$scratch/tree/lib" && ${MAKE:-make} OPTIM=-O0) && (cd "$scratch/tree/tests" && ${MAKE:-make} OPTIM=-O0) &&
		"$scratch/tree/tests/validate" || echo "FAILED: $(git -C "$scratch/tree" log -1 --format=%s)"
done >"$scratch/out" 2>&1
is 'libpfm4: what was built and validated' 'All tests passed' "$(grep -E '^FAILED|warning:|^All tests' "$scratch/out" | sort -u)"
git -C "$scratch/tree" checkout -q "$(tail -n 1 "$scratch/commits")"
applies papi "$pristine"
is 'papi: tables, shared, two components' 4 "$(ls "$scratch/papi"/*.patch | wc -l)"
"$SRCDIR/component/add-to-papi" --check "$scratch/tree" >"$scratch/out" 2>&1
verdict 'papi: the tree has what add-to-papi adds' $?
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
