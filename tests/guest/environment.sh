# SPDX-License-Identifier: MIT
# For tests on a booted machine: skips them where `make guest` has not been run. The test's own folder
# is the working folder, which the machine has, too.
. "${SRCDIR:?}/tests/support/guest.sh"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export VPMU_TALLY=$scratch/tally	# the kernel's drivers leave registers changed
failed=0
fail() { echo "FAILED: $*"; failed=1; }

program() {	# program NAME: a static one, of the C file beside this
	"$CC" -std=c11 -D_GNU_SOURCE -O1 -static -o "$1" "$SRCDIR/tests/guest/$1.c" || exit 1
}
papi_program() {	# papi_program NAME [FOLDER]: one that uses the staged PAPI
	"$CC" -std=c11 -D_GNU_SOURCE -O1 -I"$STAGE/include" -o "$1" "$SRCDIR/tests/${2:-guest}/$1.c" \
		-L"$STAGE_LIB" -Wl,-rpath,"$STAGE_LIB" -lpapi || exit 1
}

# GUEST_KERNEL: a folder that virtual_pmu/guest/get-kernel has filled, for the one of `make guest`
kernel=()
[ -z "${GUEST_KERNEL:-}" ] ||
	kernel=(--kernel "$GUEST_KERNEL/vmlinux" --modules "$GUEST_KERNEL/modules")
look=$((limit * 9 / 10))	# seconds: what has not ended is told of, then
patience=$((limit / 5))		# for a kernel that does not start

# False: ended. A machine that has begun with the command has made a file in the working folder.
begins() {	# begins PROCESS
	local i
	for ((i = 0; i < patience * 5; i++)); do
		[ ! -e .begun ] || return 0
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.2
	done
	kill "$1"
	return 1
}
try() {		# try MACHINE OPTION... -- COMMAND...: 124: stood still, 75: not even begun
	local machine=$1 options=() process
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	rm -f .begun
	: >"$VPMU_TALLY"
	timeout -k 5 $limit "$VPMU" boot "${kernel[@]}" -m "$machine" "${options[@]}" -- \
		bash "$SRCDIR/tests/guest/limited.sh" $look "$@" <&0 >out 2>err &
	process=$!
	begins $process || { wait $process; return 75; }
	wait $process
}

# Of some hundred kernels that start on a host with several times as many machines as CPUs, one takes
# timer interrupts all the time, and gets no further. Whoever sees it may start another one.
run() {		# run MACHINE OPTION... -- COMMAND...: what it prints is in ./out
	local machine=$1 status=0
	try "$@" || status=$?
	if [ $status = 75 ] && [ ! -e .begun ]; then
		echo "$machine: the kernel has not started within $patience s; once more"
		status=0
		try "$@" || status=$?
	fi
	[ $status = 0 ] || {
		[ "$status" != 124 ] || fail "$machine: no end after $limit s, or the machine stands still"
		fail "$machine: 'vpmu boot' ended with $status: $(cat out err)"
		return 1
	}
	# The third column has violations by programs, not those of the kernel's drivers.
	awk -F '\t' '$3 > 0 { broken = 1 } END { exit !NR || broken }' "$VPMU_TALLY" ||
		fail "$machine: register rules were broken: $(cat "$VPMU_TALLY" err)"
}
boot() {	# boot MACHINE [OPTION]... <SCRIPT
	cat >script
	run "$@" -- sh ./script
}
inside() {	# inside MACHINE NAME [OPTION...]: guest/NAME.sh
	local machine=$1 name=$2
	shift 2
	HERE=$PWD run "$machine" "$@" -- env -u IPMU_STATE_DIR bash "$SRCDIR/tests/guest/$name.sh"
}

value() { awk -v event="$1" '$1 == event { print $2; exit }' out; }
within() {	# within WHAT GOT WANTED PERCENT
	awk -v got="${2:-none}" -v want="$3" -v percent="$4" 'BEGIN {
		off = got - want; if (off < 0) off = -off
		exit !(got ~ /^[0-9]+$/ && off * 100 <= want * percent) }' && return
	fail "$1: ${2:-nothing}, by arithmetic $3, $4 % allowed"
}

# For scripts inside: else the kernel copies what it finds by and by into large pages, which is counted.
small_pages='echo never >/sys/kernel/mm/transparent_hugepage/enabled'
