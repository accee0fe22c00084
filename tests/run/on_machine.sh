# SPDX-License-Identifier: MIT
# Sourced by tests of ipmu-run, after support/verdict.sh.
on() {		# on MACHINE ARGUMENT...: its stdout to out, stderr to err
	local machine=$1
	shift
	"$vpmu" run --strict --no-feed -m "$machine" --cpus "$(all_cpus "$machine")" -- ipmu-run "$@" >out 2>err
}
complaints() {	# what err has beside the report
	grep '^ipmu-run: the page' err
}
says() {	# says WHAT REGEX: err has it
	grep -qE -- "$2" err && ok && return
	bad "$1: no '$2'"
	sed 's/^/  | /' err
}
