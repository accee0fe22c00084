# SPDX-License-Identifier: MIT
# Sourced by tests/mpi_*.sh: the programs, a way to start ranks on this machine, and a stand-in for
# PAPI (papi_stub.c) for all that needs no real counts.
#
# tests/mpich_NAME.sh is tests/mpi_NAME.sh by another name, which has it run with MPICH; with MPI
# set (openmpi, mpich) that one counts.
mpi_dir=$(dirname "${BASH_SOURCE[0]}")
vpmu=${VPMU:-${STAGE:+$STAGE/bin/}vpmu}
: "${STAGE:?the staged tree}"
skip() { echo "$*"; exit 77; }
case ${MPI:=$(basename "$0")} in
openmpi | mpich) ;;
mpich_*) MPI=mpich ;;
*) MPI=openmpi ;;
esac
[[ " ${MPIS-} " = *" $MPI "* ]] || skip "$MPI is not here (mpicc and mpirun), or not configured"
for variable in MPICC MPIRUN MPIFORT; do
	declare "from=${variable}_$MPI"
	declare "$variable=${!from}"
done
# What does not depend on whose MPI it is, or is dear and has a cheap way beside it, is tried with the
# first of them.
first_mpi() { [ "$MPI" = "${MPIS%% *}" ]; }
[ -e "$STAGE_LIB/libipmu_mpi_$MPI.so" ] || skip 'built without the aggregation over MPI'
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
imc=intel_uncore:::skl_unc_imc
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Open MPI 5 queries the kernel for the route between two ranks, and takes loopback, the way within
# a machine, for none to any interface.
export OMPI_MCA_reachable=weighted

# More ranks than cores, which wait without burning them (mpi/waits.c). binding: none or core.
waits=$scratch/waits.so
preloaded=("$mpi_dir/waits.c")
# Debian's MPICH 4.0.2 may not come back from MPI_Finalize, which a program that has nothing of ours
# shows, mostly between nodes and now and then on one (ucx_close.c says more).
[ $MPI != mpich ] || preloaded+=("$mpi_dir/../nodes/ucx_close.c")
${CC:-cc} -std=gnu11 -O2 -Wall -shared -fPIC -o "$waits" "${preloaded[@]}" -ldl || exit 1
# Debian's mpirun may wait for itself in its own end, mostly after an MPI_Abort or a signal. That of
# Open MPI 4.1.4 (PMIx 4.2.2) joins a thread that waits for a lock of the joining one. In 5.0.7 a
# thread of PMIx waits for a lock while prte_state_base_track_procs waits for it. All ranks have
# ended by then, and 5.0 has waited for them, too, which distinguishes it from a job that runs.
end_with_ranks() {	# end_with_ranks PID: of the timeout whose child is mpirun
	local launcher children child state begun= alive dead=0 pause
	exec {pause}<> <(:)	# read waits for it, and starts no process
	while ! read -r -t 2 -u $pause; do
		launcher= children= alive=	# these files end without a newline, which read takes for a failure
		read -r launcher _ <"/proc/$1/task/$1/children"
		[ -n "$launcher" ] || continue
		read -r children <"/proc/$launcher/task/$launcher/children"
		for child in $children; do
			begun=yes
			read -r state <"/proc/$child/stat" && state=${state##*) } && [ "${state%% *}" = Z ] || alive=yes
		done
		[ -n "$begun" ] && [ -z "$alive" ] && dead=$((dead + 1)) || dead=0
		[ "$dead" -lt 5 ] || kill -KILL "$launcher"
	done
}

ranks() {	# ranks N COMMAND... : within $limit seconds
	local n=$1 job watcher status
	shift
	local -x LD_PRELOAD=$waits${LD_PRELOAD:+:$LD_PRELOAD}
	case $MPI in
	openmpi)
		timeout -k 5 $HANG_SECONDS "$MPIRUN" --oversubscribe --mca mpi_yield_when_idle 1 \
			--bind-to "${binding:-none}${binding:+:overload-allowed}" -n "$n" "$@" &
		job=$!
		end_with_ranks $job >/dev/null 2>&1 &
		watcher=$!
		wait $job
		status=$?
		kill $watcher
		wait $watcher 2>/dev/null
		return $status
		;;
	mpich)
		timeout -k 5 $HANG_SECONDS "$MPIRUN" -bind-to "${binding:-none}" -n "$n" "$@" ;;
	esac </dev/null
}

check() {	# check NAME COMMAND...: show $scratch/out where it fails
	local name=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $name: $*"
		[ ! -f "$scratch/out" ] || sed 's/^/  | /' "$scratch/out"
	fi
}

lines() {	# lines N REGEX: so many lines of the output match the whole of it
	local line n=0
	while IFS= read -r line || [ -n "$line" ]; do
		[[ ! $line =~ ^($2)$ ]] || n=$((n + 1))
	done <"$scratch/out"
	[ "$n" = "$1" ]
}

says() {	# says REGEX [FILE]: some line matches, of the output or of FILE
	local line
	while IFS= read -r line || [ -n "$line" ]; do
		[[ ! $line =~ $1 ]] || return 0
	done <"${2-$scratch/out}"
	return 1
}
differs() { ! "$@"; }

within() {	# within GOT WANTED PERCENT
	[ -n "$1" ] && [ "$1" -ge $(($2 * (100 - $3) / 100)) ] &&
		[ "$1" -le $(($2 * (100 + $3) / 100)) ]
}

compile() {	# compile NAME [FLAG...]: $mpi_dir/NAME.c to $scratch/NAME
	local name=$1
	shift
	"$MPICC" -std=c11 -D_GNU_SOURCE -O2 -Wall -o "$scratch/$name" "$mpi_dir/$name.c" \
		-I"$STAGE/include" "$@" -L"$STAGE_LIB" -Wl,-rpath,"$STAGE_LIB" -ldl >"$scratch/cc" 2>&1 ||
		{ cat "$scratch/cc"; echo "$name.c does not compile"; exit 1; }
}

# From here on `native` starts a program natively on a virtual machine, where its reading and loading
# (mpi/work.h) is done by a small emulated one on that machine: an emulated rank takes a second of
# CPU time before it begins.
elsewhere() {
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Wall -o "$scratch/work" "$mpi_dir/work.c" || exit 1
	cat >"$scratch/elsewhere" <<-CODE
		#!/bin/sh
		cpu=\$1
		shift
		exec env -i PATH="\$PATH" "$vpmu" run --cpus "\$cpu" -s "\$VPMU_SEGMENT" "$scratch/work" "\$@"
	CODE
	printf '#!/bin/sh\nWORK=%s exec "%s" run --no-feed "$@"\n' "$scratch/elsewhere" "$vpmu" \
		>"$scratch/native"
	chmod +x "$scratch/elsewhere" "$scratch/native"
	native=$scratch/native
}

stub_papi() {	# from here on, PAPI is the stand-in, on a machine of two packages
	local name=("$STAGE_LIB"/libpapi.so.7.?)	# each version of PAPI has its own
	name=${name##*/}
	mkdir -p "$scratch/stub"
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Wall -shared -fPIC -Wl,-soname,"$name" \
		-isystem "$STAGE/include" -o "$scratch/stub/$name" "$mpi_dir/papi_stub.c" ||
		exit 1
	# Before the run path of the libraries.
	export LD_LIBRARY_PATH=$scratch/stub${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	stub_run=$scratch/stub/$name
	export HWLOC_XMLFILE=${TEST_DATA:?}/topo/two-packages.xml
}

job_count() {	# job_count FILE.csv EVENT: the sum over the job, "" if there is none
	awk -F, -v event="$2" '$1 == "event" && $3 == event && $4 == "all" { print $5; exit }' "$1"
}

finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
	exit
}
