#!/bin/bash
# SPDX-License-Identifier: MIT
# The files of a virtual machine in folders where others can make files: links are not followed,
# what is not one's own is neither used nor removed, what a killed run left behind is; and what
# becomes of a segment that others may write. VPMU: the vpmu binary.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs rdmsr flock
run() { timeout $HANG_SECONDS "$vpmu" run --no-feed "$@" >"$scratch/out" 2>&1 </dev/null; }
# A job of our own, whose segment has a name that can be foreseen.
export SLURM_JOB_ID=4712$$ SLURM_STEP_ID=0 SLURM_PROCID=0
unset PMIX_NAMESPACE OMPI_MCA_ess_base_jobid PMI_JOBID PALS_APID FLUX_JOB_ID VPMU_SEGMENT
segment="/dev/shm/vpmu-$(id -u)/$(uname -n | cut -c -64)-job-$SLURM_JOB_ID.0"
trap 'rm -rf "$scratch" "$segment"*' EXIT

soon() {	# soon COMMAND...: becomes true within 100 seconds
	local i
	for ((i = 0; i < 30000; i++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

# ---- links and directories of others in the place of what is beside a segment

mkdir "$scratch/victim"
for beside in state system; do
	for path in "$segment" "$scratch/kept"; do
		: >"$scratch/victim/precious"
		ln -s "$scratch/victim" "$path.$beside"
		if [ "$path" = "$segment" ]; then run -- true; else run -s "$path" -- true; fi
		is "a link for $beside ends the run" "125 1" "$? $(grep -c "$path.$beside: .*no directory" "$scratch/out")"
		verdict 'what it leads to is untouched' "$(test -e "$scratch/victim/precious"; echo $?)"
		rm -f "$path.$beside" "$scratch/kept"
	done
done
if [ "$(id -u)" = 0 ]; then
	for beside in state system; do
		# Other tests' runs remove a folder without a segment while it is ours.
		mkdir "$segment-made"
		: >"$segment-made/precious"
		chown -R 54321 "$segment-made"
		mv "$segment-made" "$segment.$beside"
		run -- true
		is "a stranger's $beside ends the run" "125 1" "$? $(grep -c 'belongs to another user' "$scratch/out")"
		verdict "a stranger's $beside is left alone" "$(test -e "$segment.$beside/precious"; echo $?)"
		rm -rf "$segment.$beside"
	done
	run -s "$scratch/strange" -- true
	chown 54321 "$scratch/strange"
	run -s "$scratch/strange" -- true
	is "a stranger's segment" "125 1" "$? $(grep -c 'belongs to another user' "$scratch/out")"
fi

# ---- what killed runs leave behind

hold() {	# hold: a run that goes on until it is killed
	"$vpmu" run --no-feed -- sleep 300 >/dev/null 2>&1 </dev/null &
	held=$!
	soon test -e "$segment.system" || bad 'no segment of a run that goes on'
}
hold
SLURM_JOB_ID=1$SLURM_JOB_ID run -- true
verdict 'a segment in use stays' "$(test -e "$segment"; echo $?)"
left=1
for _ in {1..50}; do		# runs of other tests may remove it at once
	kill -KILL $held
	wait $held 2>/dev/null
	[ ! -e "$segment" ] || { left=0; break; }
	hold
done
verdict 'a killed run leaves it behind' $left
: >"$segment.vpmu-new-1"	# one that a run was about to make, a moment ago
SLURM_JOB_ID=1$SLURM_JOB_ID run -- true
is 'the next run of any job removes it' "$segment.vpmu-new-1" "$(echo "$segment"*)"
# Killed long ago: what is called OLD is a minute and more older than it says. Not so what other tests
# have in the making.
: >"$segment.xml.vpmu-new-2"
mkdir -p "$segment.system.vpmu-new-3/cpu"
compile "$scratch/later.so" older.c -shared -fPIC
run -- true
is 'what is new stays' "$segment.system.vpmu-new-3 $segment.vpmu-new-1 $segment.xml.vpmu-new-2" "$(echo "$segment".*new*)"
OLD=$segment LD_PRELOAD=$scratch/later.so run -- true
is 'what is old goes' "$segment.*new*" "$(echo "$segment".*new*)"
# Of a segment that is named: a run is killed as it gives it its name, and files of others have names
# that are much alike.
cat >"$scratch/killed.c" <<-'CODE'
	#include <signal.h>
	#include <unistd.h>
	int link(const char *from, const char *to) { (void)from, (void)to; return raise(SIGKILL); }
CODE
"${CC:-cc}" -shared -fPIC -D_GNU_SOURCE -o "$scratch/killed.so" "$scratch/killed.c"
mkdir "$scratch/folder"
named=$scratch/folder/machine
others=("$named.new-1" "$named.xml.new-2" "$named.other.vpmu-new-3" "$scratch/folder/my.vpmu-new-4")
touch "${others[@]}"
mkdir "$named.system.vpmu-new-6"		# without the mark of a run
others+=("$named.system.vpmu-new-6")
mkdir -p "$named.system.vpmu-new-5/cpu"
echo 'description of a machine of vpmu' >"$named.system.vpmu-new-5/.ipmu-mark"
LD_PRELOAD=$scratch/killed.so run -s "$named" -- true
is 'a run that is killed leaves' "137 1" "$? $(ls -d "$named".vpmu-new-* | wc -l)"
OLD=$named LD_PRELOAD=$scratch/later.so run -s "$named" -- true
is 'the next one removes it, and nothing else' \
	"$(printf '%s\n' "${others[@]}" "$named" "$named".{state,system,xml} | sort)" \
	"$(printf '%s\n' "$scratch"/folder/* | sort)"
run -- ./nonexistent
is 'a program that is not there' "127 $segment*" "$? $(echo "$segment"*)"

# ---- segments that others may write

kept=$scratch/kept
run -s "$kept" -- true
chmod 666 "$kept"
run -s "$kept" -- true
is 'others may write it' "125 1" "$? $(grep -c "$kept: others may write this segment (mode 666).*--devices" "$scratch/out")"
run -s "$kept" --devices 0600 -- true
verdict 'with --devices they may' $?
chmod 600 "$kept"

# vpmu itself still finds the registers to say what was left of them.
VPMU_TALLY=$scratch/tally run -s "$kept" -- bash -c "wrmsr 0x706 5
	dd if=/dev/zero of='$kept' bs=4096 count=1 conv=notrunc status=none"
is 'an overwritten header is not looked at again' "0 skl-4c8t 0 1" "$? $(cut -f 2-4 "$scratch/tally" | xargs)"
rm -rf "$kept"*
run -s "$kept" -- bash -c "truncate -s 0 '$kept'"
is 'a truncated segment' "125 1" "$? $(grep -c "$kept: the segment was truncated while it was in use" "$scratch/out")"
finish
