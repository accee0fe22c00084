#!/bin/bash
# SPDX-License-Identifier: MIT
# The commands of docs/tools.md that need no tool, as they stand there: mpi_examples/stream under PAPI's
# high level, on one node and on two. The sums are those of arithmetic. With small stand-ins for the
# tools' headers the example's region compiles for each tool and lies between barriers.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64'
command -v jq >/dev/null || skip 'no jq'
page=${SRCDIR:?}/docs/tools.md nodes=$(realpath "$mpi_dir/../nodes/nodes")
trap '"$nodes" down "$scratch/nodes" 2>/dev/null; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

section() {	# section TITLE: its commands
	sed -e '/^<!-- output/,/^<!-- end/d' "$page" |
		awk -v title="## $1" '/^## / { on = $0 == title } on && sub(/^    /, "")'
}
# The page's launchers are the tests'. Two ranks do for the page's four: each takes a second.
ranks_there=2
mpirun() {
	case $1 in
	--hostfile)	# --hostfile FILE -n N OPTION... COMMAND...
		LD_PRELOAD=$waits timeout "$HANG_SECONDS" "$nodes" run "$scratch/nodes" $ranks_there "${@:5}" \
			</dev/null ;;
	-n) ranks $ranks_there "${@:3}" ;;
	*) echo "mpirun $*: not as the page has it"; return 1 ;;
	esac
}
mpicc() { "$MPICC" "$@" -Wl,-rpath,"$STAGE_LIB"; }
follow() {	# follow COMMANDS: in this shell, as a reader does; the last output is in $scratch/out
	local command
	while IFS= read -r command; do
		eval "$command" >"$scratch/out" 2>&1 || check "$command" false
	done <<<"$1"
}
export MPI MPIRUN LD_LIBRARY_PATH=${LD_LIBRARY_PATH-} PKG_CONFIG_PATH=$STAGE_LIB/pkgconfig STUB_LACKS=
prefix=$STAGE

# -- before the tools, and PAPI's high level
check 'the page has commands before the tools' [ -n "$(section 'Before the first tool')" ]
follow "$(section 'Before the first tool')"
check 'the example is there' [ -f stream.c ]
high=$(section "PAPI's high level")
check 'the page runs the high level on one node and on several' [ "$(grep -c ' mpirun\|^mpirun' <<<"$high")" = 2 ]

n=524288 sweeps=3	# as the page has it
sums() {	# sums NAME: what the page's jq says
	read -r got_reads got_writes <<<"$(jq_of "$reads") $(jq_of "$writes")"
	check "$1: reads" within "${got_reads:-}" $((ranks_there * sweeps * 3 * n / 8)) 2
	check "$1: writes" within "${got_writes:-}" $((ranks_there * sweeps * n / 8)) 2
	echo "$1: reads $got_reads of $((ranks_there * sweeps * 3 * n / 8)), writes $got_writes of" \
		$((ranks_there * sweeps * n / 8))
}
jq_of() {	# jq_of EVENT
	grep -A2 '^jq ' <<<"$high" | sed "s/\"\$reads\"/$1/" | bash
}
follow "$(grep -v -e '^jq ' -e '^  ' -e hostfile <<<"$high")"
check 'it says what it reads' says ' it reads 1179648 and writes 393216 lines'
sums 'one node'

"$nodes" up 2 "$scratch/nodes" >up 2>&1
case $? in
0)
	rm -r papi_hl_output
	follow "$(grep hostfile <<<"$high")"
	sums 'two nodes'
	;;
77) echo "several nodes are not tried: $(tail -n 1 up)" ;;
*) cat up; exit 1 ;;
esac

# -- what tau_exec would preload goes to the program on the machine, and to no other program
"$MPICC" -std=c11 -D_GNU_SOURCE -Wall -shared -fPIC -o preloaded.so "$SRCDIR/tests/papi/preloaded.c" && cp /bin/true app || exit 1
preload=$scratch/preloaded.so
follow "$(sed -n 's/^    \(.* env LD_PRELOAD=$preload .*\)/\1/p' "$page")"
check 'preloaded into the program alone' lines $ranks_there 'app on the machine'
check 'preloaded into nothing else' lines $ranks_there '.* on the .*'

# -- each tool's region, with headers that have what the example calls
mkdir -p stand-ins/scorep stand-ins/caliper
for header in TAU.h scorep/SCOREP_User.h caliper/cali.h gptl.h gptlmpi.h; do
	ln -s "$SRCDIR/tests/papi/stand_ins.h" stand-ins/$header
done
# Barriers are reported as well.
region='barrier begin opened barrier barrier end opened barrier'
region="$region ${region//opened/counted}"
for tool in TAU SCOREP CALIPER GPTL; do
	"$MPICC" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror "-DUSE_$tool" -Istand-ins stream.c \
		"$SRCDIR/tests/papi/barrier.c" \
		-o "stream-$tool" >"$scratch/out" 2>&1
	check "$tool: the example compiles" [ $? = 0 ]
	PAPI_EVENTS=one,two ranks 1 "./stream-$tool" 1000 1 >"$scratch/out" 2>&1
	check "$tool: barriers on both sides" \
		[ "$(grep -x 'barrier\|begin .*\|end .*' "$scratch/out" | paste -sd' ')" = "$region" ]
	[ $tool != GPTL ] || check 'GPTL: both events are chosen' lines 2 'event (one|two)'
done
finish
