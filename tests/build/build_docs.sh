#!/bin/bash
# SPDX-License-Identifier: MIT
# What the documents name is there: files and folders in ARCHITECTURE.md, CONTRIBUTING.md and NEWS.md,
# links in all of them,
# and the functions that ARCHITECTURE.md says are in a file; its layers are those that are checked.
set -u
cd "${SRCDIR:-$(dirname "$0")/../..}" || exit 1
rooms=(hwloc_topo pfm_events component virtual_pmu mpi_aggregation measure ipmu_run demo bench tests)
failed=0
fail() { echo "FAILED: $*"; failed=1; }

all=$'\n'$(find "${rooms[@]}")$'\n'

quoted() { grep -o '`[^`]*`' "$1" | tr -d '`'; }

missing() {	# missing DOCUMENT: paths and functions that are not there
	local word file=
	while read -r word; do
		case $word in
		*[\ \*=:\<]* | *NAME* | [A-Z/.-]* | papi-versions/ | third_party/* | *.log) ;;
		*'()')
			[ "${1##*/}" = CONTRIBUTING.md ] || grep -qsE "(^|[ *])${word%??}\(" "$file" ||
				echo "$1: $word is not in ${file:-a file}"
			;;
		*/* | *.[ch])
			[ -e "$word" ] || [[ $all = *"/${word%/}"$'\n'* ]] ||
				echo "$1: $word is not there"
			[ -f "$word" ] && file=$word
			;;
		esac
	done < <(quoted "$1")
}

for document in ARCHITECTURE.md CONTRIBUTING.md NEWS.md; do
	[ -f "$document" ] || { fail "$document is not there"; continue; }
	[ "$(quoted "$document" | wc -l)" -gt 5 ] || fail "$document names nothing"
	while read -r line; do fail "$line"; done < <(missing "$document")
done

# -- links lead to files of the tree and to headings, and every page is reached from README.md
anchors() {	# anchors DOCUMENT: of its headings, as forges make them
	sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_ -]//g; s/ /-/g'
}
dangling() {	# dangling DOCUMENT
	local link file
	while read -r link; do
		file=${1%/*}/${link%%#*}
		[ "${link%%#*}" ] || file=$1
		[ -e "$file" ] || { echo "$1: there is no $file"; continue; }
		[[ $link != *'#'* ]] || grep -Fqx -e "${link#*#}" < <(anchors "$file") ||
			echo "$1: $file has no heading #${link#*#}"
	done < <(tr '\n' ' ' <"$1" | grep -o '](\([^)]*\)' | sed 's/^](//' | grep -v '^https\{0,1\}:')
}
for document in ./*.md docs/*.md pfm_events/*.md upstream/*.md; do
	while read -r line; do fail "$line"; done < <(dangling "$document")
done
# -- commands: an indented line after a list is no code, but belongs to the list's last item
listed() {	# listed DOCUMENT...: such lines
	awk '
	FNR == 1 { list = 0; blank = 1 }
	/^    [^ ]/ && blank && list { print FILENAME ":" FNR ": a command after a list: put words between them" }
	/^ *([-*]|[0-9]+[.]) / { list = 1; blank = 0; next }
	!NF { blank = 1; next }
	/^[#<|]/ || (/^[^ ]/ && blank) { list = 0 }
	{ blank = 0 }' "$@"
}
while read -r line; do fail "$line"; done < <(listed ./*.md docs/*.md pfm_events/*.md upstream/*.md)
for document in docs/*.md; do
	grep -qF "]($document)" README.md || fail "README.md does not lead to $document"
done
[ "$(wc -l <README.md)" -le 100 ] || fail 'README.md has more than 100 lines: details belong into docs/'

# -- the layers of the table are those of tests/build/layers.sh, in its order
layers_of() {	# layers_of ROOM: as ARCHITECTURE.md has them
	sed -n "s,^| \`$1/\` | \(.*\`.*\`.*\) |\$,\1,p" ARCHITECTURE.md | tail -n 1 | grep -o '`[a-z/]*/`' |
		sed 's,^`,,; s,/`$,,' | tr '\n' ' '
}
while IFS='=' read -r room want; do
	[ "$(layers_of "$room")" = "$want" ] || fail "layers of $room: '$(layers_of "$room")', checked are '$want'"
	checked=$((${checked:-0} + 1))
done < <(sed -n "/^declare -A layers/,/^)/s/^\t\[\(.*\)\]='\(.*\)'/\1=\2/p" tests/build/layers.sh |
	sed 's/ \.$//; s/|/ /g; s/$/ /')
[ "${checked:-0}" -gt 1 ] || fail 'tests/build/layers.sh has no layers'

# -- planted faults are found
planted=$(mktemp) || exit 1
trap 'rm -f "$planted"' EXIT
file=component/engine/names/parse.c
printf '%s\n' "\`$file\`, \`ipmu_name_parse()\` and \`ipmu_nothing()\`" "\`component/engine/nowhere.c\`" \
	'`component/nowhere/`' '`nowhere.h`' >"$planted"
[ "$(missing "$planted" | wc -l)" = 4 ] || fail "planted: $(missing "$planted")"
printf '%s\n' '# This, here' '[a page](docs/nowhere.md)' '[another](README.md)' '[here](#this-here)' \
	'[there](#there)' >"$planted"
[ "$(dangling "$planted" | wc -l)" = 3 ] || fail "planted links: $(dangling "$planted")"
printf '%s\n' '- An item' '  of two lines.' '' '    command one' '' 'Words:' '' '    command two' >"$planted"
[ "$(listed "$planted" | cut -d: -f2)" = 4 ] || fail "planted commands: $(listed "$planted")"
exit "$failed"
