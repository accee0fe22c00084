#!/bin/bash
# SPDX-License-Identifier: MIT
# The manual pages: they format without a warning, name every option that the commands offer, and have
# examples. Those of section 3 compile, and count on the virtual machine what arithmetic says.
set -u
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
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
	for section in NAME SYNOPSIS DESCRIPTION EXAMPLES 'EXIT STATUS' 'SEE ALSO'; do
		[[ $'\n'$text = *$'\n'"$section"* ]] || fail "$name.1 has no section $section"
	done
	[ -x "$STAGE/bin/$name" ] || continue
	help_of "$name" >"$scratch/help"
	help=$(<"$scratch/help")
	while IFS= read -r option; do
		[[ $text = *"$option"* ]] || fail "$name.1 does not name $option"
	done < <(grep -oE -e '(^|[ ,])--[a-z][a-z-]*' "$scratch/help" | tr -d ' ,' | sort -u)
	# And the other way round: a page must not promise what is not there. Text is further to the right.
	while IFS= read -r option; do
		[[ $help = *"$option"* ]] || fail "$name --help does not name $option"
	done < <(sed -n '/^OPTIONS/,/^[A-Z]/p' "$scratch/$name" | grep -oE -e '^ {1,8}-.*' |
		grep -oE -e '--[a-z][a-z-]*' | sort -u)
done
for command in ipmu-allowlist pmutopo vpmu; do
	[ -f "$srcdir/man/$command.1" ] || fail "no page for $command"
done

# -- section 3
: "${STAGE_LIB:?}" "${VPMU:?}"
lines=$(((16 << 20) / 64))
example() {	# example PAGE: its program to stdout
	sed -n '/^\.EX/,/^\.EE/p' "$srcdir/man/$1" | sed '/^\.E/d; s/\\e/\\/g'
}
counts() {	# counts PAGE RANKS COMMAND...: the example in $scratch/example, within 2 %
	local got
	"${@:3}" >"$scratch/out" 2>&1 || { cat "$scratch/out"; fail "$1: the example fails"; return; }
	got=$(sed -n 's/^\([0-9]*\) lines$/\1/p' "$scratch/out")
	[ "${got:-0}" -ge $(($2 * lines)) ] && [ "$got" -le $(($2 * lines * 102 / 100)) ] ||
		fail "$1: the example counts '$got' lines, by arithmetic $(($2 * lines))"
}
for page in ipmu.3 ipmu_region.3 ipmu_mpi.3; do
	plain "$srcdir/man/$page" >"$scratch/text"
	[ ! -s "$scratch/warnings" ] || { cat "$scratch/warnings"; fail "$page has warnings"; }
	example $page >"$scratch/example.c"
	# Functions that the pages show are those of the headers.
	while read -r name; do
		grep -qw "$name" "$STAGE/include/ipmu"/*.h || fail "$page: no header has $name"
	done < <(grep -oE 'ipmu_[a-z_]+\(' "$srcdir/man/$page" | tr -d '(' | sort -u)
done
example ipmu.3 >"$scratch/example.c"
# shellcheck disable=SC2046 # flags are words
if ${CC:-cc} -std=c11 -Wall -Wextra -O1 "$scratch/example.c" -o "$scratch/example" \
	$(PKG_CONFIG_PATH=$STAGE_LIB/pkgconfig pkg-config --cflags --libs ipmu); then
	counts ipmu.3 1 "$VPMU" run --strict -m skl-4c8t "$scratch/example"
else
	fail 'ipmu.3: the example does not compile'
fi
example ipmu_region.3 >"$scratch/example.c"
# shellcheck disable=SC2046
if ! ${CC:-cc} -std=c11 -Wall -Wextra -O1 "$scratch/example.c" -o "$scratch/example" \
	$(PKG_CONFIG_PATH=$STAGE_LIB/pkgconfig pkg-config --cflags --libs ipmu-region); then
	fail 'ipmu_region.3: the example does not compile'
elif [ -x "$STAGE/bin/ipmu-run" ]; then
	"$STAGE/bin/ipmu-run" --on skl-4c8t -g MEM "$scratch/example" 2>&1 |
		grep -A 2 '^  region sum: 1 call' >"$scratch/out" || fail 'ipmu_region.3: no region'
fi
mpi=${MPIS-} mpi=${mpi%% *} mpicc=MPICC_$mpi
if [ -n "$mpi" ] && [ -n "${!mpicc-}" ]; then
	example ipmu_mpi.3 >"$scratch/example.c"
	# shellcheck disable=SC2046
	if "${!mpicc}" -std=c11 -Wall -Wextra -O1 "$scratch/example.c" -o "$scratch/example" \
		$(PKG_CONFIG_PATH=$STAGE_LIB/pkgconfig pkg-config --cflags --libs "ipmu-mpi-$mpi"); then
		counts ipmu_mpi.3 1 "$VPMU" run --strict -m skl-4c8t "$scratch/example"
	else
		fail 'ipmu_mpi.3: the example does not compile'
	fi
else
	echo 'the example of ipmu_mpi.3 is not compiled: no MPI here'
fi
exit "$failed"
