#!/bin/bash
# SPDX-License-Identifier: MIT
# The manual pages: they format without a warning, and name every option that the commands offer.
set -u
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
: "${STAGE:?the staged tree}"
command -v man >/dev/null || { echo 'man is not installed (package man-db)'; exit 77; }
failed=0
fail() { echo "FAILED: $*"; failed=1; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

plain() { LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l "$1" 2>"$scratch/warnings" |
	col -bx; }

# What a command says of itself, with what its commands say, where it has some.
help_of() {
	local sub
	"$STAGE/bin/$1" --help >"$scratch/top" || fail "$1 --help"
	cat "$scratch/top"
	for sub in $(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$scratch/top"); do
		"$STAGE/bin/$1" "$sub" --help || fail "$1 $sub --help"
		grep -q "^ *$1 $sub" "$scratch/$1" || fail "$1.1 does not show $1 $sub"
	done
}

for page in "$srcdir"/man/*.1; do
	name=${page##*/} name=${name%.1}
	if target=$(sed -n 's|^\.so man1/||p' "$page") && [ -n "$target" ]; then	# another name
		grep -q "^\.B.*$(sed 's/-/.*-/g' <<<"$name")" "$srcdir/man/$target" ||
			fail "$target does not name $name"
		continue
	fi
	plain "$page" >"$scratch/$name"
	text=$(<"$scratch/$name")
	[ ! -s "$scratch/warnings" ] || { cat "$scratch/warnings"; fail "$name.1 has warnings"; }
	for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' 'SEE ALSO'; do
		[[ $'\n'$text = *$'\n'"$section"* ]] || fail "$name.1 has no section $section"
	done
	[ -x "$STAGE/bin/$name" ] || continue
	help_of "$name" >"$scratch/help"
	help=$(<"$scratch/help")
	while IFS= read -r option; do
		[[ $text = *"$option"* ]] || fail "$name.1 does not name $option"
	done < <(grep -oE -e '(^|[ ,])--[a-z][a-z-]*' "$scratch/help" | tr -d ' ,' | sort -u)
	# And the other way round: a page must not promise what is not there.
	while IFS= read -r option; do
		[[ $help = *"$option"* ]] || fail "$name --help does not name $option"
	done < <(sed -n '/^OPTIONS/,/^[A-Z]/p' "$scratch/$name" | grep -oE -e '^ +-.*' |
		grep -oE -e '--[a-z][a-z-]*' | sort -u)
done
for command in ipmu-allowlist pmutopo vpmu; do
	[ -f "$srcdir/man/$command.1" ] || fail "no page for $command"
done
exit "$failed"
