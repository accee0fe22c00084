#!/bin/bash
# SPDX-License-Identifier: MIT
# Names that commands choose themselves, beside one that the user gave: what the user or another user
# has there already is refused by name and stays as it is. The names are the rows of
# common/own_name.c. Then the files that the user named, and two runs with the same PREFIX.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
export VPMU_TALLY=$scratch/tally
unset VPMU_SEGMENT XDG_CONFIG_HOME
machine=skl-1c2t event=skl_unc_clk.UNC_CLOCK:SOCKET
compile "$scratch/rows" own_names.c -I"$SRCDIR/common" "$SRCDIR/common/own_name.c" || exit 1
"$scratch/rows" >"$scratch/names"
is 'rows of the table' 9 "$(wc -l <"$scratch/names")"
here=$scratch/here
mkdir "$here" && cd "$here" || exit 1

vpmu() { timeout $HANG_SECONDS "$vpmu" run --no-feed -m $machine "$@" >"$scratch/out" 2>&1 </dev/null; }
node() {	# node COMMAND...: counts as the first of two nodes' ranks, to PREFIX run
	OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_SIZE=2 \
		OMPI_COMM_WORLD_LOCAL_SIZE=1 PMIX_NAMESPACE=own-names-$$ \
		vpmu -- ipmu-run -q -e $event -o run "$@"
}
start() {	# start WHO: a command that makes all names of that kind, beside `run`
	case $1 in
	segment | vpmu) vpmu -s run -- true ;;
	job | node) node true ;;
	esac
}
make() {	# make KIND PATH: a file or folder of the user's own
	if [ "$1" = folder ]; then mkdir -p "$2/deep" && echo weeks >"$2/deep/data"; else echo weeks >"$2"; fi
}
content() { find "$1" -printf '%P %m %U %T@ %s\n' -exec sh -c '[ ! -f "$1" ] || cat "$1"' - {} \; 2>&1; }

# ---- the user's own

try_all() {	# try_all WHAT [OWNER]: a file or folder of each name, of the user or of that owner
	local who kind ending path before
	while read -r who kind ending; do
		[ "$who" = profile ] && continue	# its name has a process's number: below
		[ "$who" = job ] || [ "$who" = node ] && [ ! -x "${STAGE:-/none}/bin/ipmu-run" ] && continue
		for path in run$ending $([ "$who" = job ] && echo "run.$(uname -n)$ending"); do
			[ "$who" != node ] || path=run.$(uname -n)$ending
			rm -rf run* && make "$kind" "$path"
			[ -z "${2-}" ] || chown -R "$2" "$path"
			before=$(content "$path")
			start "$who"
			is "$1 $path: status" 125 $?
			is "$1 $path: named" 1 "$(grep -c "$path: " "$scratch/out")"
			is "$1 $path: unchanged" "$before" "$(content "$path")"
		done
	done <"$scratch/names"
	rm -rf run*
}
try_all own
if command -v qemu-x86_64 >/dev/null; then
	echo weeks >run.callgrind.1 && printf '# callgrind format\ncreator: ipmu-run 0\n' >run.callgrind.2
	timeout $HANG_SECONDS ipmu-run --on skl-2c4t -e skl_unc_imc.DRAM_DATA_READS --profile -o run true >"$scratch/out" 2>&1
	is 'profiles: status' 0 $?
	is "profiles: the user's own, an older one" 'weeks 0' "$(cat run.callgrind.1) $(ls run.callgrind.2 2>/dev/null | wc -l)"
	rm -rf run*
fi
vpmu -s run -- true
is 'without them: vpmu' "0 run run.state run.system run.xml" "$? $(echo run*)"
rm run && vpmu -s run -- true
is 'what a machine has left: a new one takes it over' 0 $?
for ending in xml state system; do
	rm -rf run.$ending
	make "$(awk -v e=.$ending '$3 == e { print $2 }' "$scratch/names")" run.$ending
	before=$(content run.$ending)
	vpmu -s run -- true
	is "beside a machine that is there, $ending" "125 $before" "$? $(content run.$ending)"
	rm -rf run*
	vpmu -s run -- true
done
rm -rf run*

# ---- another user's, in a sticky folder

if [ "$(id -u)" = 0 ]; then
	chmod 1777 .
	try_all "another user's" 54321
	ln -s "$scratch/names" run && chown -h 54321 run
	vpmu -s run -- true
	is "another user's link" '125 1' "$? $(grep -c 'run: cannot use a link of another user' "$scratch/out")"
	rm run
fi

# ---- another user takes the name while vpmu writes the folder: lost.so makes it at the rename

compile "$scratch/lost.so" lost.c -shared -fPIC || exit 1
export VICTIM=$scratch/victim
for ending in state system; do
	owner=$([ "$(id -u)" = 0 ] && echo 54321 || id -u)
	echo victim >"$VICTIM"
	LD_PRELOAD=$scratch/lost.so LOST_OWNER=$owner LOST_NAME=run.$ending vpmu -s run -- sh -c \
		'printf AAAAAAAA | dd of=/dev/cpu/0/msr bs=8 oflag=seek_bytes seek=911 conv=notrunc status=none
		echo 1 >/sys/devices/system/cpu/cpu1/online'
	is "a lost rename of run.$ending" '125 1 victim' \
		"$? $(grep -c "run.$ending: cannot " "$scratch/out") $(cat "$VICTIM")"
	is "a lost rename of run.$ending: nothing in the making" 'run.*vpmu-new*' "$(echo run.*vpmu-new*)"
	rm -rf run*
done

# ---- links below a machine's folder are not followed to what they lead to

vpmu -s run -- true
echo victim >"$VICTIM"
rm -f run.system/dev/cpu/0/msr run.system/cpu/cpu1/online
ln -s "$VICTIM" run.system/dev/cpu/0/msr
ln -s "$VICTIM" run.system/cpu/cpu1/online
for how in --no-feed --feed; do
	[ $how = --no-feed ] || ! command -v qemu-x86_64 >/dev/null || how=
	timeout $HANG_SECONDS "$vpmu" run ${how/--feed/} -s run -- sh -c '
		printf AAAAAAAA | dd of=/dev/cpu/0/msr bs=8 oflag=seek_bytes seek=911 conv=notrunc
		echo 1 >/sys/devices/system/cpu/cpu1/online
		dd if=/dev/cpu/0/msr bs=8 count=1 status=none' >"$scratch/out" 2>&1 </dev/null
	is "links in a machine's folder ${how:-emulated}: what they lead to" victim "$(cat "$VICTIM")"
	is "links in a machine's folder ${how:-emulated}: not read" 0 "$(grep -c victim "$scratch/out")"
done
rm -rf run*

# ---- files that the user named

[ -x "${STAGE:-/none}/bin/ipmu-run" ] || { echo 'not tried: ipmu-run'; finish; exit; }
count() {	# count [AS...]: a program that leaves the file `ran`
	timeout $HANG_SECONDS "$@" "$vpmu" run --no-feed -m $machine -- ipmu-run -q -e $event -o run \
		sh -c 'echo >ran' >"$scratch/out" 2>&1 </dev/null
}
for ending in csv json html; do
	rm -f ran && mkdir run.$ending
	count
	is "run.$ending is a folder" '125 1 no' "$? $(grep -c "cannot write run.$ending: Is a directory" \
		"$scratch/out") $([ -e ran ] || echo no)"
	rmdir run.$ending
done
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	open_to_users bin/. lib/. share/. || exit 1
	chmod 755 "$scratch"
	echo mine >run.json
	rm -f ran
	vpmu=$scratch/stage/bin/vpmu count setpriv --reuid=54321 --regid=54321 --clear-groups \
		env -u VPMU_TALLY PATH="$scratch/stage/bin:$PATH"
	is "run.json is another user's in a sticky folder" '125 1 no mine' \
		"$? $(grep -c 'cannot write run.json: Operation not permitted' "$scratch/out") $(
		[ -e ran ] || echo no) $(cat run.json)"
	rm -f run.json
fi

# Two runs at once: the second one gets a message, and neither fails.
vpmu -- sh -c "ipmu-run -q -e $event -o run sh -c ': >first; until [ -e second ]; do sleep 0.1; done' &
	until [ -e first ] || ! kill -0 \$!; do sleep 0.1; done
	ipmu-run -q -e $event -o ./run sh -c ': >second'; echo \"status \$?\"; wait \$!; echo \"status \$?\"
	ipmu-run -q -e $event -o run true; ipmu-run -q -e $event -o run2 true"
is 'two at once: both end well' 2 "$(grep -c '^status 0$' "$scratch/out")"
is 'two at once: the second is told' 1 "$(grep -c 'another ipmu-run that has not ended writes the same files' "$scratch/out")"
finish
