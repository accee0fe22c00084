#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs of Debian, each natively and on a virtual machine: same output, same errors, same status.
# tests/data/survey.tsv has the programs. Those without a package run here; SURVEY=all
# (make check-survey) runs the others too, as far as their packages are installed.
# `vpmu_survey.sh missing` prints the packages that are not; SURVEY="NAME NAME" runs some rows.
set -u
table=${TEST_DATA:-$(dirname "${BASH_SOURCE[0]}")/../data}/survey.tsv
path=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/usr/games

rows() { grep -v '^#' "$table"; }

installed() {	# installed PACKAGE...
	local package
	for package; do
		[ "$package" = - ] || dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null |
			grep -q '^install ok installed' || return 1
	done
}

if [ "${1-}" = missing ]; then
	rows | cut -f 3 | tr ' ' '\n' | sort -u | while read -r package; do
		installed "$package" || echo "$package"
	done
	exit
fi

. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 "${CC:-cc}"
survey=${SURVEY-}
jobs=1
[ -z "$survey" ] || jobs=${TEST_JOBS:-$(nproc)}

# Ports on the loopback of a network of its own are free, and closed to others.
if [ "$(id -u)" = 0 ]; then own_network=(unshare -n); else own_network=(unshare -rn); fi
networks=1
"${own_network[@]}" sh -c 'ip link set lo up' 2>/dev/null || networks=

# ---- input: what each folder has at the start

mkdir "$scratch/input" || exit 1
seq 1 2000 | awk '{ x = ($1 * 7919) % 10007; print "word" x % 97, x, "line " $1 }' >"$scratch/input/words"
seq 1 4000 | gzip -9n >"$scratch/input/data"
cp "$(dirname "${BASH_SOURCE[0]}")/survey_input.c" "$scratch/input/prog.c" || exit 1

# ---- one row

execute() {	# execute WAY NAME COMMAND [WORD...]: into out.WAY, err.WAY and status.WAY of its folder
	local way=$1 own=$scratch/rows/$2 command=$3
	shift 3
	rm -rf "$own/at"
	cp -r "$scratch/input" "$own/at" && cd "$own/at" || return
	timeout --kill-after=10 "${HANG_SECONDS:-1500}" "$@" env -i PATH="$path" HOME="$own/at" \
		TMPDIR="$own/at" LC_ALL=C TZ=UTC0 USER=survey sh -c "$command" \
		</dev/null >"$own/out.$way" 2>"$own/err.$way"
	echo $? >"$own/status.$way"
}

same() {	# same NAME: what it did natively and on the machine
	local own=$scratch/rows/$1 what differ=0
	for what in status out err; do
		cmp -s "$own/$what.native" "$own/$what.machine" && continue
		differ=1
		echo "$what, natively and on the machine:"
		diff -a "$own/$what.native" "$own/$what.machine" | cut -c 1-200 | head -n 12
	done
	return $differ
}

row() {		# row NAME KIND PACKAGES COMMAND REASON: its verdict and the text of it
	local own=$scratch/rows/$1 network=()
	[ "$2" != network ] || network=("${own_network[@]}" sh -c 'ip link set lo up && exec "$@"' sh)
	mkdir -p "$own"
	execute native "$1" "$4" "${network[@]}"
	execute machine "$1" "$4" "${network[@]}" "$vpmu" run -m skl-4c8t
	if grep -qw 'not found' "$own/err.native"; then
		echo "not there natively:" | cat - "$own/err.native" >"$own/text"
		echo absent
	elif same "$1" >"$own/text"; then
		[ "$5" = - ] && echo same || echo known-no-more
	else
		[ "$5" = - ] && echo differs || echo known
	fi >"$own/verdict"
	rm -rf "$own/at"
}

# ---- all of them

wanted() {	# wanted NAME PACKAGES
	case $survey in
	'') [ "$2" = - ] ;;
	all) ;;
	*) [[ " $survey " = *" $1 "* ]] ;;
	esac
}

names=()
skipped=0 absent=0
while IFS=$'\t' read -r name kind packages command reason; do
	wanted "$name" "$packages" || continue
	# shellcheck disable=SC2086 # words
	if ! installed $packages; then
		echo "skipped: $name: not installed: $packages"
		absent=$((absent + 1)) skipped=$((skipped + 1))
		continue
	elif [ "$kind" = network ] && [ -z "$networks" ]; then
		echo "skipped: $name: no network of its own: unshare -n and ip(8) do not work here"
		skipped=$((skipped + 1))
		continue
	fi
	while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
		wait -n
	done
	row "$name" "$kind" "$packages" "$command" "$reason" &
	names+=("$name")
done < <(rows)
wait

known=0
for name in "${names[@]}"; do
	case $(cat "$scratch/rows/$name/verdict") in
	same) ok ;;
	known) ok; known=$((known + 1)) ;;
	known-no-more) bad "$name: does not differ any more: remove its reason from survey.tsv" ;;
	*) bad "$name: $(rows | awk -F '\t' -v n="$name" '$1 == n { print $4 }')"; cat "$scratch/rows/$name/text" ;;
	esac
done
echo "${#names[@]} programs, $known of them differ for a known reason; $skipped skipped," \
	"$absent of them because a package is not installed"
[ "$passed" -gt 0 ] || [ "$failed" -gt 0 ] || exit 77
finish
