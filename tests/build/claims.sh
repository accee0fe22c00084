#!/bin/bash
# SPDX-License-Identifier: MIT
# Each claim of docs/pmus.md's table of what is covered, and each limit in docs/trouble.md, has a test in
# tests/claims.tsv, with the place in that test; and claims.tsv has no other claims.
#
#   claims.sh             check
#   claims.sh --list      the claims, one a line, in the form of claims.tsv
set -u
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# A claim is a cell of the table, or what stands between its semicolons; a limit is an item of the list,
# known by its first sentence. Each with its section's row or "Limits" before it.
list_claims() {	# list_claims DOCUMENTS: docs/pmus.md and docs/trouble.md in one
	awk '
	function trimmed(s) { gsub(/^ +| +$/, "", s); return s }
	function parts(key, cell, split_it,    i, c, part, code) {
		for (i = 1; i <= length(cell) + 1; i++) {
			c = substr(cell, i, 1)
			if (c == "`") code = !code
			if (i > length(cell) || (c == ";" && split_it && !code)) {
				if (trimmed(part) != "") print key "\t" trimmed(part)
				part = ""
			} else part = part c
		}
	}
	function limit() {
		if (item == "") return
		sub(/\. .*/, ".", item)
		print "Limits\t" item
		item = ""
	}
	/^##? / { limit(); section = $0 }
	section == "## What is covered" && /^\|/ && !/^\|[-|]+$/ && !/^\| Component/ {
		n = split($0, cell, "|")
		# Names of the PMUs: the last words in code marks of the first cell but one are its key.
		key = cell[2]
		gsub(/`intel_[a-z]*` /, "", key)
		match(key, /`[a-z][a-z0-9_]*`/)
		key = substr(key, RSTART + 1, RLENGTH - 2)
		parts(key, cell[2], 0)
		for (i = 4; i < n; i++) parts(key, cell[i], 1)
	}
	section == "## Limits of this version" {
		if (/^- /) { limit(); item = substr($0, 3) }
		else if (item != "" && NF) item = item " " trimmed($0)
		else limit()
	}
	END { limit() }' "$1"
}

# The map's claims without a test, with one that is not there, or whose case is not in the test.
check() {	# check DOCUMENTS CLAIMS TESTS-FOLDER
	local where claim test case file wrong=0
	local -A text=()
	list_claims "$1" >"$scratch/claims"
	[ "$(wc -l <"$scratch/claims")" -ge 50 ] || { echo 'the documents are not understood'; return 1; }
	grep -v '^#' "$2" >"$scratch/map"
	while IFS= read -r claim; do
		echo "no test in claims.tsv: $claim" && wrong=1
	done < <(cut -f 1,2 "$scratch/map" | LC_ALL=C sort -u | LC_ALL=C comm -13 - <(LC_ALL=C sort -u "$scratch/claims"))
	while IFS= read -r claim; do
		echo "claims.tsv has what the documents do not say: $claim" && wrong=1
	done < <(cut -f 1,2 "$scratch/map" | LC_ALL=C sort -u | LC_ALL=C comm -23 - <(LC_ALL=C sort -u "$scratch/claims"))
	while IFS=$'\t' read -r where claim test case; do
		file=
		# Programs and scripts: what make check runs, and register scripts, which one program runs.
		for file in "$3"/*/"$test.c" "$3"/*/"$test.sh" "$3"/vpmu/scripts/"$test.script" ''; do [ ! -f "$file" ] || break; done
		if [ -z "$file" ]; then
			echo "there is no test '$test': $where: $claim"
			wrong=1
			continue
		fi
		[ -n "${text[$file]-}" ] || text[$file]=$(<"$file")
		if [ -z "$case" ] || [[ ${text[$file]} != *"$case"* ]]; then
			echo "'$case' is not in $test: $where: $claim"
			wrong=1
		fi
	done <"$scratch/map"
	return $wrong
}

documents=$scratch/documents
cat "$srcdir/docs/pmus.md" "$srcdir/docs/trouble.md" >"$documents"
if [ "${1-}" = --list ]; then
	list_claims "$documents"
	exit
fi
failed=0
check "$documents" "$srcdir/tests/claims.tsv" "$srcdir/tests" || failed=1

# -- what is planted is found
planted() {	# planted WHAT DOCUMENTS CLAIMS WANTED-LINE
	check "$2" "$3" "$srcdir/tests" >"$scratch/found" && { echo "FAILED: $1 is not noticed"; failed=1; }
	grep -qF -e "$4" "$scratch/found" || { cat "$scratch/found"; echo "FAILED: $1: '$4' is not said"; failed=1; }
}
claims=$srcdir/tests/claims.tsv
sed 's/^\(| `skl_unc_imc` .*\) |$/\1; it flies |/' "$documents" >"$scratch/planted"
planted 'a claim in the table' "$scratch/planted" "$claims" $'no test in claims.tsv: skl_unc_imc\tit flies'
sed 's/^## Limits of this version$/&\n\n- It does not swim. Much./' "$documents" >"$scratch/planted"
planted 'a limit' "$scratch/planted" "$claims" $'no test in claims.tsv: Limits\tIt does not swim.'
sed '/^| `netburst`/d' "$documents" >"$scratch/planted"
planted 'a row that is gone' "$scratch/planted" "$claims" 'claims.tsv has what the documents do not say: netburst'
sed 's/\tvpmu_model\t/\tvpmu_nothing\t/; t; s/\tengine_knc\t/\tvpmu_nothing\t/' "$claims" >"$scratch/claims.tsv"
planted 'a test that is not there' "$documents" "$scratch/claims.tsv" "there is no test 'vpmu_nothing'"
sed 's/\t\(engine_knc\)\t.*/\t\1\tno_such_case/' "$claims" >"$scratch/claims.tsv"
planted 'a case that is not there' "$documents" "$scratch/claims.tsv" "'no_such_case' is not in engine_knc"
exit "$failed"
