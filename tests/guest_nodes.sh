#!/bin/bash
# SPDX-License-Identifier: MIT
# Several booted machines in a network of their own: who may join, `vpmu rsh` from one to another, and
# an MPI job over them whose counts are each node's own and add up, by arithmetic.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/support/guest.sh"
needs setpriv flock
export VPMU_TALLY=$scratch/tally	# the kernel's drivers leave registers changed
cd "$scratch" || exit 1
: >tally

says() {	# says FILE TEXT
	grep -qF -- "$2" "$1" && ok || bad "'$2' is not in: $(tail -n 5 "$1")"
}
refused() {	# refused STATUS TEXT OPTION...: without booting
	local status=$1 text=$2
	shift 2
	timeout 60 "$vpmu" boot --no-feed -m skl-1c1t "$@" true >/dev/null 2>err
	is "boot $*: status" "$status" $?
	says err "$text"
}
wait_for() {	# wait_for FILE PID: that the program has made it
	local i
	for i in {1..1800}; do
		[ -e "$1" ] && return
		kill -0 "$2" 2>/dev/null || break
		sleep 0.1
	done
	bad "no $1 came"
	return 1
}

# -- what needs no machine
refused 125 'a number from 1 to 254' --nodes 0
refused 125 'a network of its own' --nodes 2 --network net
refused 125 'of which network' --node 1
refused 125 'a number from 0 to 253' --network net --node 254
mkdir -m 755 open
refused 125 'others could enter this folder' --network open
# What a killed command of several nodes has left goes with the next one; nothing else does.
mkdir -m 700 runtime runtime/vpmu-network-{killed,in_use} runtime/vpmu-network-of-mine
touch runtime/vpmu-network-{killed,in_use}/node{0,1}
export XDG_RUNTIME_DIR=$scratch/runtime
flock -s runtime/vpmu-network-in_use sh -c 'touch locked; exec sleep 100' &
holder=$!
wait_for locked $holder
refused 125 'it has said nothing' --nodes 2 --qemu /bin/true
is 'networks' "$(echo runtime/vpmu-network-{in_use,of-mine})" "$(echo runtime/*)"
kill "$(pgrep -P $holder)"; wait $holder 2>/dev/null
unset XDG_RUNTIME_DIR
"$vpmu" rsh 2>err; is 'rsh without a node' 125 $?
"$vpmu" rsh localhost.invalid true 2>err; is 'rsh outside of a network' 125 $?
says err 'cannot be reached'

# -- two machines that come one by one, of a user who is not root
lib=${STAGE_LIB#"$STAGE"/}/ipmu
as=()
if [ "$(id -u)" = 0 ]; then
	open_to_users "bin/vpmu" "$lib/vpmu-init" "$lib/libvpmu_guest.so" "$lib/guest"
	vpmu=$scratch/stage/bin/vpmu
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups env "HOME=$scratch")
	chmod 777 .		# the working folder: the machine's /tmp is its own
	chmod 666 tally
fi
boot() { timeout -k 5 $limit "${as[@]}" "$vpmu" boot --no-feed -m skl-1c1t --user --network net "$@"; }
boot --node 3 -- sh -c 'hostname >ready; exec sleep 1000' >other 2>&1 </dev/null &
other=$!
cat >script <<END
rsh() { '$vpmu' rsh "\$@"; }
head -c 300000 /dev/urandom >in
rsh node3 'hostname; id -u; pwd; exit 7' >said; echo "status \$?" >>said
WORD='two  words' rsh -n node3 'echo "\$WORD"; wc -c' >>said
rsh node3 'cat; echo apart >&2' <in >copy 2>apart
rsh node3 'kill -9 \$\$'; echo "killed \$?" >>said
'$vpmu' rsh node3 'trap "echo caught >>said; exit 4" TERM; touch trapped; while :; do sleep 0.1; done' &
while [ ! -e trapped ]; do sleep 0.1; done
kill -TERM \$!; wait \$!; echo "signal \$?" >>said
END
if wait_for ready $other; then
	timeout 60 "${as[@]}" "$vpmu" boot -m skl-1c1t --user --network net --node 3 true \
		>/dev/null 2>taken
	is 'a number that is taken: status' 125 $?
	says taken 'node 3 of this network is running'
	boot -- sh ./script >printed 2>&1 </dev/null
	printf '%s\n' node3 "$(("${#as[@]}" ? 65534 : $(id -u)))" "$PWD" 'status 7' 'two  words' 0 \
		'killed 137' caught 'signal 4' | diff - said >diff && ok ||
		bad "rsh: $(cat diff printed)"
	cmp -s in copy && ok || bad "rsh: $(wc -c <copy) bytes of 300000 came back, or others"
	is 'rsh: stderr' apart "$(cat apart)"
fi
kill -KILL "$(pgrep -P "$(pgrep -P $other)")"	# vpmu, below timeout: its socket is left behind
wait $other 2>/dev/null
boot --node 3 -- hostname >again 2>&1 </dev/null
is 'a number whose machine was killed' node3 "$(cat again)"
vpmu=$VPMU

# -- MPI
[[ " ${MPIS-} " = *' openmpi '* ]] || { echo 'MPI: not tried, there is no Open MPI'; finish; }
"$MPICC_openmpi" -O1 -o shares "$SRCDIR/tests/guest/shares.c" -I"$STAGE/include" -L"$STAGE_LIB" \
	-lipmu_mpi_openmpi -lpapi || exit 1
cat >script <<'END'
# Components that the job does not need are not loaded, which halves its time.
export OMPI_MCA_btl=self,tcp OMPI_MCA_pml=ob1 OMPI_MCA_coll=basic,libnbc OMPI_MCA_io=ompio
mpirun -n 2 ./shares 8 intel_uncore:::skl_unc_imc.DRAM_DATA_READS
touch done
sleep 1000
END
sed -i "s|^mpirun|'$MPIRUN_openmpi'|" script
export LD_LIBRARY_PATH=$STAGE_LIB${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
timeout -k 5 $limit "$vpmu" boot -m skl-1c1t --nodes 2 -- sh ./script >out 2>err </dev/null &
job=$!
lines=$((8 * 1024 * 1024 / 64))
near() {	# near NAME WANTED: 6 %, for what the kernel and MPI read meanwhile
	local got
	got=$(sed -n "s/^$1 //p" out)
	[ "${got:-0}" -ge "$2" ] && [ "$got" -le $(($2 + $2 * 6 / 100)) ] && ok ||
		bad "$1: ${got:-nothing}, by arithmetic $2: $(tail -n 5 out err)"
}
if wait_for done $job; then
	near node0 $lines
	near node1 $((2 * lines))
	near job $((3 * lines))
	cat out
	kill -TERM "$(pgrep -x -P "$(pgrep -P $job)" vpmu)"	# the process of node1
fi
wait $job
is 'the status when a node has ended' 125 $?
says err 'node1 has ended'
finish
