#!/bin/bash
# SPDX-License-Identifier: MIT
# A hostile user takes names in /dev/shm before others do. The victim is another user without
# privileges, and the names decide nothing. Everything runs in a /dev/shm of its own.
set -u
[ "$(id -u)" = 0 ] || { echo 'only root can become two other users'; exit 77; }
if [ -z "${NAMES_APART-}" ]; then
	why=$(unshare --mount --propagation private true 2>&1) || { echo "$why (a chroot?)"; exit 77; }
	NAMES_APART=1 unshare --mount --propagation private "$0" "$@"
	exit
fi
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs setpriv
mount -t tmpfs -o mode=1777,size=300m tmpfs /dev/shm 2>/dev/null || { echo 'nothing can be mounted here'; exit 77; }
open_to_users bin/. lib/. share/. || exit 1
uid=54322
them=(setpriv --reuid=54321 --regid=54321 --clear-groups)
we=(setpriv --reuid=$uid --regid=$uid --clear-groups)
vpmu=$scratch/stage/bin/vpmu
unset VPMU_SEGMENT SLURM_JOB_ID SLURM_STEP_ID XDG_CONFIG_HOME
mkdir -m 1777 "$scratch/here" && cd "$scratch/here" || exit 1
export VPMU_TALLY=$PWD/tally
trap 'rm -rf "$scratch"' EXIT

run() { "${we[@]}" timeout $HANG_SECONDS "$vpmu" run --no-feed "$@" </dev/null; }
until_there() {	# until_there FILE: it has text; or the process that makes it has gone
	until [ -s "$1" ] || ! kill -0 $held 2>/dev/null; do sleep 0.05; done
	[ -s "$1" ] || { bad "$1 does not come"; finish; exit 1; }
}
ours() { find /dev/shm -mindepth 1 -user $uid "$@"; }
folders() { ours -maxdepth 1 -type d | sort | paste -sd' '; }

# ---- machines

mine=/dev/shm/vpmu-$uid
"${them[@]}" sh -c "mkdir -m 777 $mine; touch $mine.1; ln -s /tmp $mine.2; mkdir -m 777 $mine.4"
run -- sh -c 'echo $VPMU_SEGMENT' >out 2>&1
is 'a machine where names are taken' "0 $mine.3" "$? $(sed 's|/[^/]*$||' out)"
is 'its folder' "$mine.3 711" "$(folders) $(stat -c %a $mine.3)"
"${them[@]}" touch "/dev/shm/vpmu-$uid-$(uname -n)-job-squat"	# the segment, without a folder
# Ranks of a job: the second comes when the names have been given up, and finds the first one's machine.
rank() { PMIX_NAMESPACE=squat run -m skl-4c8t -- sh -c "$1"; }
rank 'echo $VPMU_SEGMENT >first; until [ -s second ]; do sleep 0.1; done' &
held=$!
until_there first
"${them[@]}" sh -c "rm -r $mine $mine.1 $mine.2 $mine.4; touch $mine.0"
rank 'echo $VPMU_SEGMENT >second.new; mv second.new second' >out 2>&1
verdict 'the second rank' $?
wait $held
is 'both ranks are on one machine' "$(cat first)" "$(cat second)"
is 'nothing is left' "$mine.3" "$(ours)"

"${we[@]}" ln -s nowhere link
run -s link -- true >out 2>&1
is 'a segment that is a link to nothing: status' 125 $?
is 'a segment that is a link to nothing' 1 "$(grep -c '^vpmu: link: cannot use a link to a file that does not exist' out)"
is 'a segment that is a link to nothing: files' link "$(echo link*)"

# ---- what is beside segments that are gone, as runs with few descriptors leave it

gone=$mine.3/gone
"${we[@]}" mkdir -p $gone.system/cpu $gone.state
"${we[@]}" touch $gone.system/cpu/online $gone.xml
"${we[@]}" ln -s "$scratch/here" $mine.3/linked.system
for n in 4 5 6 7 8 9 10; do
	(ulimit -n $n; run -m skl-4c8t -- true) >out 2>&1
done
# A job whose name ends like what is beside a segment is in use meanwhile.
PMIX_NAMESPACE=odd.xml run -m skl-4c8t -- sh -c 'echo $VPMU_SEGMENT >odd; until [ -s swept ]; do sleep 0.1; done' &
held=$!
until_there odd
odd=$(cat odd)
run -m skl-4c8t -- true
is 'what is in use stays' "$(printf '%s\n' "$odd"{,.state,.system,.xml})" "$(echo "$odd"* | tr ' ' '\n')"
echo >swept; wait $held
is 'what is beside no segment goes' "$mine.3 $mine.3/linked.system" "$(ours ! -path '*.vpmu-new-*' | sort | paste -sd' ')"
is 'a link is not followed' '1 1' "$([ -e odd ] && echo 1) $(rm $mine.3/linked.system && echo 1)"

# ---- the processes of a job on a node

if [ ! -x "$scratch/stage/bin/ipmu-run" ] || ! command -v python3 >/dev/null ||
	! command -v flock >/dev/null; then
	echo 'not tried: jobs, without ipmu-run, python3 or flock'
	finish
	exit
fi
event=skl_unc_clk.UNC_CLOCK:SOCKET
of_two() {	# of_two RANK COMMAND...: counts as one of two processes of $job
	local n=$1
	shift
	OMPI_COMM_WORLD_RANK=$n OMPI_COMM_WORLD_LOCAL_RANK=$n OMPI_COMM_WORLD_SIZE=2 \
		OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=$job run -m skl-4c8t -- \
		"$scratch/stage/bin/ipmu-run" -e $event "$@"
}
both() {	# both WHAT: they count together, however late one of them starts
	local wait=': >went.$0; until [ -e went.0 ] && [ -e went.1 ]; do sleep 0.05; done'
	rm -f went.?
	of_two 0 sh -c "$wait" 0 >rank.0 2>&1 &
	of_two 1 sh -c "$wait" 1 >rank.1 2>&1
	is "$1: rank 1" 0 $?
	wait $!
	is "$1: rank 0" 0 $?
	is "$1: one report, of both" '1 1' "$(cat rank.? | grep -c $event) $(cat rank.? | grep -c '2 ranks on 1 node')"
}
sockets() { ours -path '*/ipmu-run-*/*' -printf '%f\n' | sort | paste -sd' '; }

# The folder's name is taken, and the abstract one that everybody could take, with a full queue.
job=squat-1
mine=/dev/shm/ipmu-run-$uid
"${them[@]}" sh -c "mkdir -m 777 $mine; touch '$mine/+$job'; ln -s /tmp $mine.1"
python3 "$test_folder/squat.py" "ipmu-run-$uid-$job" >squatted &
held=$!
trap 'kill $held 2>/dev/null; rm -rf "$scratch"' EXIT
until_there squatted
both 'taken names'
is 'the folder' "$mine.2 700" "$(ours -maxdepth 1 -name 'ipmu-*') $(stat -c %a $mine.2)"
kill $held; wait $held 2>/dev/null
"${them[@]}" rm -r $mine $mine.1
job=squat-2; both 'names given up'
is 'no socket is left' '' "$(sockets)"

# A killed leader leaves its socket, which decides nothing and goes.
job=killed
of_two 0 sh -c 'echo $PPID $$ >leader; exec sleep 1700' >out 2>&1 &
held=$!
until_there leader
is 'the socket of a leader' +killed "$(sockets)"
is 'others cannot see it' 2 "$("${them[@]}" ls "$mine.2" >out 2>&1; echo $?)"
job=else; both 'another job'
is 'the socket of a leader stays' +killed "$(sockets)"
read -ra killed <leader
kill -KILL "${killed[@]}"; wait $held 2>/dev/null
is 'a killed leader leaves its socket' +killed "$(sockets)"
job=killed; both 'the same job again'
"${we[@]}" touch $mine.2/+other
job=else; both 'another job after that'
is 'sockets without leaders go' '' "$(sockets)"

# A process that is stopped with the lock is waited for, but not for ever.
exec {lock}<$mine.2
flock "$lock"
of_two 1 true >out 2>&1
is 'a lock that is not released: status' 125 $?
is 'a lock that is not released' 1 "$(grep -c "cannot meet the job's other processes on this node: $mine.2/+else: Connection timed out" out)"

finish
