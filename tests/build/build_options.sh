#!/bin/bash
# SPDX-License-Identifier: MIT
# The options of each command are the same in three places: what it parses (rows for getopt_long), what
# --help lists, from which shells complete as well, and what the manual page lists. Compared are the
# letter, the name, and whether there is an argument. A row with the comment "our own" is not for users.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${STAGE:?the staged tree}" "${SRCDIR:?the source tree}"

# Lines "LETTER NAME KIND" of rows in C, from the files named. A letter is one of getopt_long's string,
# where it has a colon if there is an argument; a letter there without a row is a line of its own.
parsed() {
	(cd "$SRCDIR" && cat "$@") | sed '/our own/d' >"$scratch/source"
	letters=$(grep -E 'getopt_long\(|LETTERS "' "$scratch/source" | grep -oE '"[^"]*"' | tr -d '"+\n')
	grep -oE '\{ "[a-z0-9-]+", [a-z]+_argument, NULL, [^ ]+ \}' "$scratch/source" | tr -d '{",' | tr -d "'" |
		LETTERS=$letters awk '
			BEGIN {
				for (i = 1; i <= length(ENVIRON["LETTERS"]); i += colon + 1) {
					colon = substr(ENVIRON["LETTERS"], i + 1, 1) == ":"
					kind[substr(ENVIRON["LETTERS"], i, 1)] = colon ? "required" : "no"
				}
			}
			{
				sub(/_argument/, "", $2)
				letter = length($4) == 1 && kind[$4] == $2 ? "-" $4 : "-"
				print letter " --" $1 " " $2
				row[letter]
			}
			END { for (l in kind) if (kind[l] && !("-" l in row)) print "-" l " has no row of this kind" }' |
		sort -u
}

# The same of lists as "-X, --NAME ARGUMENT", where text comes after two blanks.
listed() {
	sed -E 's/^ +//; s/  .*//' | awk '
		function out(kind,   i) {
			for (i = 1; i <= n; i++) print (i == 1 ? letter : "-") " " name[i] " " kind
			n = 0; letter = "-"
		}
		{
			n = 0; letter = "-"
			words = split($0, word, /[, ]+/)
			for (w = 1; w <= words; w++) {
				if (word[w] ~ /^-[A-Za-z]$/) { letter = word[w]; continue }
				if (word[w] !~ /^-/) { out("required"); continue }
				optional = sub(/\[=.*/, "", word[w])
				name[++n] = word[w]
				if (optional) out("optional")
			}
			out("no")
		}' | sort -u
}
help_of() { "$@" --help | grep -E '^ {1,8}-' | listed; }

# The tags of a page: the arguments of a macro follow one another without blanks outside of quotes.
page_of() {
	sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' "$SRCDIR/man/$1.1" | sed -nE '/^\.TP/{n; s/\\f.//g; s/\\//g; p}' |
		awk '{
			one = $1 == ".B"; sub(/^\.[A-Z]+ /, "")
			text = ""
			for (i = 1; i <= length($0); i++) {
				c = substr($0, i, 1)
				if (c == "\"") quoted = !quoted
				else if (c != " " || quoted || one) text = text c
			}
			if (text ~ /^-/) print text
		}' | listed
}
same() {	# same WHAT FILE FILE
	diff "$2" "$3" >"$scratch/out"
	verdict "$1" $?
}

common='virtual_pmu/tool/tool.h'
while read -r command sources; do
	# shellcheck disable=SC2086 # words
	parsed $sources >"$scratch/parsed"
	[ -s "$scratch/parsed" ]
	verdict "$command: it parses options" $?
	[ -x "$STAGE/bin/$command" ] || { echo "no $command here: not tried"; continue; }
	help_of "$STAGE/bin/$command" >"$scratch/help"
	same "$command: --help lists what it parses" "$scratch/parsed" "$scratch/help"
	page_of "$command" >"$scratch/page"
	same "$command: its page lists what it parses" "$scratch/parsed" "$scratch/page"
done <<'END'
ipmu-allowlist component/commands/ipmu-allowlist.c
ipmu-check component/check/ipmu-check.c
ipmu-restore component/commands/ipmu-restore.c
ipmu-run ipmu_run/options.c
pmutopo hwloc_topo/pmutopo/pmutopo.c
END
for command in run boot; do
	file=virtual_pmu/tool/run.c
	[ $command = run ] || file=virtual_pmu/boot/host/boot.c
	parsed $file $common >"$scratch/parsed"
	help_of "$VPMU" $command >"$scratch/help"
	same "vpmu $command: --help lists what it parses" "$scratch/parsed" "$scratch/help"
done
{ parsed virtual_pmu/tool/{run,list}.c virtual_pmu/boot/host/boot.c $common; echo '-V --version no'; } |
	sort -u >"$scratch/parsed"
page_of vpmu >"$scratch/page"
same 'vpmu: its page lists what its commands parse' "$scratch/parsed" "$scratch/page"
finish
