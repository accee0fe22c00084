# SPDX-License-Identifier: MIT
# Sourced by tests that run others inside of booted machines, on their kernel's own device files.
. "${SRCDIR:?}/tests/guest/environment.sh"
program registers
papi_program counts processes
[ -x "${OBJDIR:?}/tests/hostile_damage" ] ||
	{ echo 'the programs of the unit tests have not been built (make unit-programs)'; exit 77; }

same() {	# same MACHINE PROGRAM|"" [SCRIPT...]: each passes, and there is nothing else
	local machine=$1 script scripts=()
	for script in "${@:3}"; do
		scripts+=("$SRCDIR"/tests/*/"$script.sh")
	done
	"$VPMU" regs -m "$machine" --tsv | awk '$2 ~ /^0x/ && $4 != "WO" { print $1, $2 }' >list
	export BOOTED_MACHINE=$machine PROGRAMS=${2:+$OBJDIR/tests/$2}
	export SCRIPTS="${scripts[*]}"
	inside "$machine" same_tests --no-feed
	[ "$(grep -c '^PASS:' out)" = $((${#scripts[@]} + (${#2} > 0))) ] || fail "$machine: $(cat out)"
	cat out
}
