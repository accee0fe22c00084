#!/bin/bash
# SPDX-License-Identifier: MIT
# What a program can check of CONTRIBUTING.md's rules for prose: how comments open, "who" for people
# alone, spelling, the length of sentences in documents, subjects of commits. What is planted is found.
set -u
cd "${SRCDIR:-$(dirname "$0")/../..}" || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
mapfile -t sources < <(find common hwloc_topo component virtual_pmu mpi_aggregation mpi_examples regions measure ipmu_run demo \
	bench tests examples -name '*.[ch]' 2>/dev/null | LC_ALL=C sort)
[ "${#sources[@]}" -gt 100 ] || fail 'no sources'

# -- a comment's first word names the thing or the action
openers() {	# openers FILE...
	grep -nHE '/\* (Of|What|Who|Whoever|Where|It|They|One|That)\b' "$@"
}
while read -r line; do fail "$line: name the thing or the action first"; done < <(openers "${sources[@]}")

# -- "who" is for people
whos() {	# whos FILE...
	grep -nHiE '\b(threads?|process(es)?|cpus?|cores?|ranks?|nodes?|callers?|waiters?|machines?) who\b|\*[[:space:]]+who(ever)?\b' "$@"
}
mapfile -t documents < <(find ./*.md docs man pfm_events/README.md upstream -name '*.md' -o -name '*.[1-9]')
while read -r line; do fail "$line: 'who' is for people"; done < <(whos "${sources[@]}" "${documents[@]}")

# -- the field's words in the documents
words() {	# words FILE...
	grep -nHiE '\b(puts? back|goes on)\b' "$@"
}
while read -r line; do fail "$line: say restore, continue"; done < <(words "${documents[@]}")

# -- sentences in the documents; the style is 25 words, more than twice that is a mistake
longest=50
sentences() {	# sentences FILE...: longer ones; tables, commands and output are skipped, code is a word
	awk -v longest=$longest '
	function end_sentence() {
		if (words > longest) print FILENAME ":" from ": " words " words: " substr(text, 1, 60)
		words = 0
		text = ""
	}
	function add_words(line,    word, n, i) {
		gsub(/`[^`]*`/, "CODE", line)
		n = split(line, word, " ")
		for (i = 1; i <= n; i++) {
			if (!words++) from = FNR
			text = text (text == "" ? "" : " ") word[i]
			if (word[i] ~ /[.!?][)*"]*$/) end_sentence()
		}
	}
	FNR == 1 { end_sentence(); output = command = 0; blank = 1 }
	/^<!-- output/ { output = 1 }
	/^<!-- end/ { output = 0 }
	/^    [^ ]/ && blank { command = 1 }
	!/^    / && NF { command = 0 }
	output || command || /^<!--/ { blank = 1; end_sentence(); next }
	/^[#|]/ || !NF { end_sentence(); blank = !NF; next }
	/^ *([-*]|[0-9]+[.]) / { end_sentence(); sub(/^ *([-*]|[0-9]+[.]) /, "") }
	{ blank = 0; add_words($0) }
	END { end_sentence() }' "$@"
}
mapfile -t pages < <(printf '%s\n' "${documents[@]}" | grep '\.md$')
[ "${#pages[@]}" -gt 20 ] || fail 'no documents'
while read -r line; do fail "$line"; done < <(sentences "${pages[@]}")

# -- spelling; the words are names in code
spelling() {	# spelling FILE...
	codespell -L te,ypes,bu,inout,wants,onces,inflight,statics,frist,mis "$@"
}
if command -v codespell >/dev/null; then
	while read -r line; do fail "spelling: $line"; done < <(spelling "${sources[@]}" "${documents[@]}")
else
	echo 'spelling is not checked: no codespell here'
fi

# -- subjects since the rule was made: "area: verb ...", at most 65 columns, the verb imperative
subjects() {	# subjects: of stdin
	awk '{
		verb = $0
		sub(/^[^:]*: /, "", verb)
		sub(/ .*/, "", verb)
	}
	length($0) > 65 { print $0 ": more than 65 columns"; next }
	!/^[a-z0-9_\/., -]+: [a-z]/ { print $0 ": it is not \"area: verb ...\""; next }
	verb ~ /^(the|a|an|one|no|each|all|of|what|who|where|it|they|that|its|some)$/ ||
	(verb ~ /(ed|ing|[^s]s)$/ && verb !~ /^(need|feed|embed|shed|bring|bus)$/) {
		print $0 ": begin with a verb in the imperative" }'
}
rule=6477515
if git rev-parse -q --verify "$rule^{commit}" >"$scratch/log" 2>&1; then
	git log --no-merges --format=%s "$rule..HEAD" >"$scratch/subjects"
	while read -r line; do fail "commit: $line"; done < <(subjects <"$scratch/subjects")
fi

# -- planted faults are found
cat >"$scratch/planted.c" <<-'END'
	/* Of the lock: who holds it. */
	/* It is taken by threads who wait. */
	/* The lock's owner. One line more. */
END
[ "$(openers "$scratch/planted.c" | wc -l)" = 2 ] || fail 'openers are not found'
[ "$(whos "$scratch/planted.c" | wc -l)" = 1 ] || fail 'threads who wait are not found'
[ "$(words <(echo 'The engine puts back what it found.') | wc -l)" = 1 ] || fail 'put back is not found'
long=$(printf 'word %.0s' $(seq "$longest"))
printf '%s\n' "$long" 'more.' '' '- Short. A short one' "  and $long." '' "    command $long" '' "| a row $long |" \
	'' "Exactly $(printf 'word %.0s' $(seq 2 "$longest"))" >"$scratch/planted.md"
[ "$(sentences "$scratch/planted.md" | cut -d: -f2 | paste -sd' ')" = '1 4' ] ||
	{ sentences "$scratch/planted.md"; fail 'long sentences are not found'; }
if command -v codespell >/dev/null; then
	echo 'This was recieved.' >"$scratch/planted.md"
	[ "$(spelling "$scratch/planted.md" | wc -l)" = 1 ] || fail 'spelling is not checked'
fi
printf '%s\n' 'engine: restore counters' 'engine: counters are restored' 'engine: the counters' 'Restore' \
	"engine: restore $(printf '%060d' 0)" 'tests: added a case' 'tests: process each row' >"$scratch/planted"
[ "$(subjects <"$scratch/planted" | wc -l)" = 5 ] || { subjects <"$scratch/planted"; fail 'subjects are not judged'; }
exit "$failed"
