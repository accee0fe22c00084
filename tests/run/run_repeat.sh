#!/bin/bash
# SPDX-License-Identifier: MIT
# Counts of single-threaded programs repeat to the digit, whatever the host does. Each program is
# counted once, then again with another environment, folder, user and stack limit, without the host's
# address randomisation, and some under load. Digits of Debian's programs are in a table, by the
# versions of their packages, so that each host that has these versions is a witness.
set -u
# Lengths of paths are input of programs that copy their environment.
export TMPDIR=/tmp
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run setarch prlimit "${CC:-cc}"
table=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/data/repeat.tsv
cd "$scratch" || exit 1
chmod 755 .
loader=/lib64/ld-linux-x86-64.so.2 libraries=/usr/lib/x86_64-linux-gnu

# The number of variables is the program's input, so it is always the same.
ipmu_run=$(command -v ipmu-run)
clean=(env -i PATH=/usr/bin:/bin "PWD=$scratch" HOME=/ USER=somebody LC_ALL=C "VPMU_TALLY=$scratch/tally")
with=()
core=core_fixed.INST_RETIRED:ANY,core.LAST_LEVEL_CACHE_REFERENCES,core.LAST_LEVEL_CACHE_MISSES
uncore=skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_MESI,skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I
uncore+=,skl_unc_imc.DRAM_DATA_READS
numbers() {	# numbers MACHINE EVENTS COMMAND...: after what `as` holds, with the options `with`
	local machine=$1 events=$2
	shift 2
	"${clean[@]}" "${as[@]}" "$ipmu_run" --on "$machine" "${with[@]}" -e "$events" -- "$@" 2>&1 >/dev/null </dev/null |
		awk '/^    (core|skl_unc)/ { printf "%s ", $2 }'
}
digits() {	# digits COMMAND...: instructions, L2 lookups and misses; LLC lookups and misses, DRAM reads
	local all
	all="$(numbers core2-4c $core "$@")$(numbers skl-4c8t $uncore "$@")"
	echo "${all% }"
}

long=$(printf '%500s' '' | tr ' ' x)
touch tally && chmod 666 tally
folder=$scratch/a/folder/with/a/longer/name
mkdir -p "$folder"
users=yes
[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups) &&
	"${as_user[@]}" test -x "$(command -v ipmu-run)" -a -r "$scratch" || users=no
[ $users = yes ] || echo 'skipped: another user: this one is not root, or others cannot read the commands'

copies=no	# the program copies its environment
asks=no		# it does something else for root
loaded=no	# it is counted again under load
repeats() {	# repeats NAME COMMAND...: leaves its digits in $base
	local name=$1 way ways=() load=()
	shift
	as=()
	base=$(digits "$@")
	case $base in
	*[1-9]*' '*[1-9]*' '*[1-9]*' '*[1-9]*' '*[1-9]*' '*[1-9]*) ok ;;
	*) bad "$name: not counted: '$base'"; return ;;
	esac
	[ $copies = yes ] || ways+=("longer variables: env HOME=/$long USER=$long")
	[ $copies = yes ] && ways+=("another folder: env -C $folder") ||
		ways+=("another folder: env -C $folder PWD=$folder")
	ways+=('no randomisation by the host: setarch -R')
	ways+=('another stack limit: prlimit --stack=unlimited')
	[ $users = no ] || [ $asks = yes ] || ways+=("another user: ${as_user[*]}")
	for _ in 1 2 3; do
		[ $loaded = no ] || { (while :; do :; done) & load+=($!); }
	done
	# shellcheck disable=SC2206 # words
	as=(${ways[@]#*: })
	if [ "$base" = "$(digits "$@")" ]; then
		ok
	else	# which of them is it?
		bad "$name: its digits depend on the host"
		for way in 'again: env' "${ways[@]}"; do
			# shellcheck disable=SC2206 # words
			as=(${way#*: })
			is "$name: ${way%%: *}" "$base" "$(digits "$@")"
		done
	fi
	as=()
	[ $loaded = no ] || kill "${load[@]}"
	wait "${load[@]}" 2>/dev/null
	return 0
}

packages() {	# packages FILE...: PACKAGE=VERSION of each and of the libraries that they load
	local file
	for file; do
		echo "$file"
		ldd "$file" | grep -o '/[^ ]*'
	done | xargs realpath | sort -u | while read -r file; do
		dpkg -S "$file" 2>/dev/null || dpkg -S "${file#/usr}"
	done | sed 's/:.*//' | sort -u | xargs dpkg-query -W -f '${Package}=${Version}\n' | paste -sd ' '
}
witness() {	# witness NAME FILE: compares $base with the table's row
	local key row
	command -v dpkg-query >/dev/null || { echo "skipped: the table's digits of $1: no dpkg-query here"; return; }
	key=$(packages "$2")
	row=$(awk -F '\t' -v name="$1" -v key="$key" '$1 == name && $2 == key { print $3 }' "$table")
	if [ -n "$row" ]; then
		is "$1: the table's digits" "$row" "$base"
	else
		printf 'skipped: no row for %s of these versions; to add in tests/data/repeat.tsv:\n' "$1"
		printf '%s\t%s\t%s\n' "$1" "$key" "$base"
	fi
}

# The C library's own conversions, so that no tool of the host makes the input. A linear congruential
# generator (Numerical Recipes) gives lines in no order.
awk 'BEGIN { for (x = 1; n < 4000; n++) { x = (1664525 * x + 1013904223) % 4294967296; printf "%d\n", x } }' \
	>"$scratch/input"
chmod 644 "$scratch/input"

if compile own own.c -O1 -static 2>/dev/null; then
	loaded=yes
	repeats own "$scratch/own"
	loaded=no
else
	echo 'skipped: no static program can be linked here'
fi

# Without the cache of libraries, whose search depends on what else is installed.
debian() {	# debian NAME PROGRAM ARGUMENT...
	local name=$1 program=$2
	[ -x "$program" ] && [ -x $loader ] || { echo "skipped: no $program here"; return 1; }
	shift 2
	repeats "$name" $loader --inhibit-cache --library-path $libraries "$program" "$@"
}
of_table() {
	debian "$@" && witness "$1" "$2"
}
of_table sha256sum /usr/bin/sha256sum "$scratch/input"
of_table sort /usr/bin/sort "$scratch/input"
of_table gzip /usr/bin/gzip -c "$scratch/input"
# These copy all of their environment, so that its lengths are their input.
copies=yes asks=yes
of_table perl /usr/bin/perl -e 'my %h; $h{$_} = 1 for 1 .. 2000; print join(",", keys %h), "\n"'
asks=no
# Folders are read in the file system's order, which no table can know.
debian python3 /usr/bin/python3 -I -S -c 'print(len({str(i): i for i in range(500)}), {"a", "b", "c"})'

# Other seeds are other layouts: the digits change, but not what the program does.
as=()
base=$(digits "$loader" --inhibit-cache --library-path $libraries /usr/bin/sort "$scratch/input")
with=(--seed=1)
other=$(digits "$loader" --inhibit-cache --library-path $libraries /usr/bin/sort "$scratch/input")
[ "$base" != "$other" ] && ok || bad 'seed 1 moves nothing'
with=(--seed 1)
is 'seed 1 repeats' "$other" "$(digits "$loader" --inhibit-cache --library-path $libraries /usr/bin/sort "$scratch/input")"

[ -z "${VPMU_TALLY-}" ] || cat tally >>"$VPMU_TALLY"
finish
