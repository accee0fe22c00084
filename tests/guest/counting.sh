# SPDX-License-Identifier: MIT
# Sourced by scripts that run on a booted machine, where they are root: a program that counts and
# gets orders word by word (tests/processes/counts.c), and the answers that it has to give. HERE has
# the programs of the test, and is the only folder that outlives the machine; they work in /tmp.
cd /tmp || exit 1
PATH=$PATH:/tmp
trap '' PIPE		# a program that should answer has ended: that is said
failed=0
fail() { echo "FAILED: $*"; failed=1; }
same() { [ "$2" = "$3" ] || fail "$1: '$3' where '$2' should be"; }		# same WHAT WANT GOT
says() { case $heard in *"$2"*) ;; *) fail "$1: '$2' is not in: $heard" ;; esac; }
near() {	# near WHAT WANT GOT PERCENT
	[ "${3:-0}" -ge $(($2 - $2 * $4 / 100)) ] && [ "$3" -le $(($2 + $2 * $4 / 100)) ] ||
		fail "$1: ${3:-nothing}, by arithmetic $2, $4 % allowed"
}

# The answer ends with the line of the word and its counts, which become `values`; other output is
# printed before, on that line, too.
hear() {	# hear WORD
	local line
	heard='' values=()
	while IFS= read -r -t 60 line <&"$from"; do
		heard+=$line$'\n'
		case $line in
		"$1 "* | *";$1 "*) read -ra values <<<"${line##*"$1 "}"; return 0 ;;
		esac
	done
	return 1
}
start() {	# start COMMAND...: counts, and whoever executes it
	rm -f question answer
	mkfifo question answer
	"$@" <question >answer 2>&1 &
	pid=$!
	exec {to}>question {from}<answer
	hear ready || fail "$*: does not start: $heard"
}
ask() { echo "$*" >&"$to"; set -- ${1/#try/$2}; hear "$1" || fail "$*: no answer: $heard"; }
end() {		# closes its input; `status`
	exec {to}>&-
	wait "$pid"
	status=$?
	exec {from}<&-
}
refused() {	# refused WHAT TEXT COMMAND...: it does not count, and says why
	local what=$1 text=$2
	shift 2
	heard=$("$@" </dev/null 2>&1) && fail "$what: it counts: $heard"
	says "$what" "$text"
}
counts() {	# counts WHAT COMMAND...
	local what=$1
	shift
	heard=$("$@" </dev/null 2>&1) || fail "$what: does not count: $heard"
}

groups=/sys/fs/cgroup
control_group() {	# control_group NAME: and the command in_NAME COMMAND...
	[ -e $groups/cgroup.controllers ] || mount -t cgroup2 none $groups || fail 'no control groups'
	mkdir "$groups/$1" || fail "no control group $1"
	printf '#!/bin/sh\necho $$ >%s\nexec "$@"\n' "$groups/$1/cgroup.procs" >"in_$1"
	chmod 755 "in_$1"
}
confine() {	# confine NAME CPUS: a control group of these
	control_group "$1"
	echo +cpuset >$groups/cgroup.subtree_control
	echo "$2" >"$groups/$1/cpuset.cpus" || fail "no cpuset $2"
}
online() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online" || fail "CPU $1 cannot be switched"; }
restored() {	# restored WHAT: nothing is left to put back
	heard=$(ipmu-restore --dry-run 2>&1 | grep -v 'nothing to restore')
	[ -z "$heard" ] || fail "$1: $heard"
}
finish() { [ "$failed" = 0 ] && echo 'all as it should be'; exit "$failed"; }
