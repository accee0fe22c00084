# SPDX-License-Identifier: MIT
# Sourced by tests/*.sh: the vpmu binary, a scratch folder, and a count of what held. What
# $scratch/out has is shown where something did not.
vpmu=${VPMU:-${STAGE:+$STAGE/bin/}vpmu}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
test_folder=$(cd "$(dirname "${BASH_SOURCE[-1]}")" && pwd)

compile() {	# compile PROGRAM SOURCE [FLAG...]: of the test's folder
	${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -o "$1" "$test_folder/$2" "${@:3}"
}

needs() {	# needs TOOL...: skipped without them
	local tool
	for tool; do
		command -v "$tool" >/dev/null || { echo "no $tool here"; exit 77; }
	done
}

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $1"; }
is() {		# is WHAT EXPECTED GOT
	if [ "$2" = "$3" ]; then ok; else bad "$1: expected '$2', got '$3'"; fi
}

verdict() {	# verdict WHAT STATUS
	[ "$2" = 0 ] && ok && return
	bad "$1"
	tail -n 40 "$scratch/out" | sed 's/^/  | /'
}

# The last number in a machine's name. A process that is bound to some CPUs of the host has those of
# the machine.
all_cpus() {	# all_cpus MACHINE: in the form that --cpus takes
	local digits
	read -ra digits <<<"${1//[!0-9]/ }"
	echo "0-$((digits[-1] - 1))"
}

# What of the staged tree other users run must not lie in a home that is closed to them.
open_to_users() {	# open_to_users FILE...: of the staged tree; makes $scratch/stage of them
	local file
	chmod 755 "$scratch"
	for file; do
		mkdir -p "$scratch/stage/${file%/*}" || return 1
		cp -a "${STAGE:?the staged tree}/$file" "$scratch/stage/${file%/*}" || return 1
	done
}

finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
