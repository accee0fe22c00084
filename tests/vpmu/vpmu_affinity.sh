#!/bin/bash
# SPDX-License-Identifier: MIT
# On which virtual CPUs a program starts: --cpus, the affinity of the caller on the host and on the
# machine, MPI's binding, OpenMP's places.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs taskset qemu-x86_64 "${CC:-cc}"

on() { timeout $HANG_SECONDS "$vpmu" run -m core2-4c "$@"; }
native() { timeout $HANG_SECONDS "$vpmu" run --no-feed -m "$@"; }
# shellcheck disable=SC2016
mine='exec taskset -cp $$'
cpus() { "$@" | sed 's/.*: //' | sort | paste -sd' '; }

is '--cpus' 0,2,3 "$(cpus native core2-4c --cpus 0,2-3 sh -c "$mine")"
for bad in 4 0-4 1- 3-2 a '' 0, -1 rank; do
	native core2-4c --cpus "$bad" true 2>"$scratch/err"
	is "--cpus '$bad': status" 125 $?
	grep -q -- "--cpus $bad: " "$scratch/err" && ok || bad "--cpus '$bad': $(cat "$scratch/err")"
done
is '--cpus rank: cores first, then their next threads' '0 4 1 5 2' "$(for rank in 0 1 2 3 4; do
	MPI_LOCALRANKID=$rank cpus native knc-2c8t --cpus rank sh -c "$mine"
done | paste -sd' ')"

# The caller's CPU has the number that the machine has, or is the nth of those it could have.
allowed=$(cpus taskset -cp $$)
first=${allowed%%[,-]*} last=${allowed##*[,-]}
if [ "$first" != "$last" ] && [ "$last" -lt 8 ]; then
	is 'bound by taskset' "$last" "$(cpus taskset -c "$last" "$vpmu" run --no-feed -m skl-4c8t sh -c "$mine" 2>"$scratch/err")"
	is 'bound by taskset: nothing to say' '' "$(cat "$scratch/err")"
	is 'taskset, but --cpus' 5 "$(cpus taskset -c "$last" "$vpmu" run --no-feed -m skl-4c8t --cpus 5 sh -c "$mine")"
fi
# The same on hosts of other sizes, which a library feigns: the caller has the CPUs $NOW of $LIMIT.
compile "$scratch/host.so" affinity_host.c -shared -fPIC -ldl || exit 1
while read -r limit now expected line; do
	is "host CPUs $now of $limit" "$expected" "$(cpus env LIMIT=$limit NOW=$now \
		LD_PRELOAD="$scratch/host.so" "$vpmu" run --no-feed -m core2-4c sh -c "$mine" 2>"$scratch/err")"
	said=
	[ -z "$line" ] || said="vpmu: core2-4c: the caller's host CPUs $line; --cpus chooses others"
	is "host CPUs $now of $limit: said" "$said" "$(cat "$scratch/err")"
done <<-'TABLE'
	ffff ffff 0-3
	3 3 0-3
	ffff 4 2
	ffff 6 1,2
	ffff c00 2,3 10-11 are virtual CPUs 2-3
	c00 800 1 11 are virtual CPUs 1
	ffff 8001 0,3 0,15 are virtual CPUs 0,3
	ffff ff00 0-3
TABLE

# Open MPI binds its ranks to cores of the host
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() { timeout $HANG_SECONDS mpirun.openmpi -n 2 --bind-to core "$@"; }
if [ "$last" -lt 8 ] && ranks true >/dev/null 2>&1; then
	bound=$(cpus ranks sh -c "$mine")
	is 'ranks bound by Open MPI' "$bound" "$(cpus ranks "$vpmu" run --no-feed -m skl-8c8t sh -c "$mine")"
	is '--cpus rank under Open MPI' '0 1' \
		"$(cpus ranks "$vpmu" run --no-feed -m skl-8c8t --cpus rank sh -c "$mine")"
fi

# on the machine, emulated: it stays with what is executed
is 'taskset' 3 "$(cpus on taskset -c 3 sh -c "$mine")"
is 'taskset, then vpmu run' 3 "$(cpus on bash -c "taskset -c 3 '$vpmu' run sh -c '$mine'")"
is 'vpmu run --cpus in a program' 1,2 "$(cpus on taskset -c 3 "$vpmu" run --cpus 1-2 sh -c "$mine")"

# OpenMP's places
if compile "$scratch/places" places.c -fopenmp 2>/dev/null; then
	export OMP_PROC_BIND=close
	is 'places: threads' '0 1 2 3; 0 1 2 3' "$(OMP_PLACES=threads on --cpus 0-3 "$scratch/places")"
	if ldd "$scratch/places" | grep -q libgomp; then
		is 'places: cores' '0,4 1,5 2,6 3,7; 0 1 2 3' \
			"$(OMP_PLACES='cores(4)' native skl-4c8t --cpus 0-7 "$scratch/places")"
		is 'places: cores of some CPUs' '4,5,6,7 8,9,10,11; 4 5 8 9' \
			"$(OMP_PLACES=cores native knc-4c16t --cpus 4-11 "$scratch/places" | sed -E 's/; [4-7] [4-7] ([89]|1[01]) ([89]|1[01])$/; 4 5 8 9/')"
		is 'places: sockets' '0,1 2,3; 0 0 2 2' \
			"$(OMP_PLACES=sockets native core2-4c --cpus 0-3 "$scratch/places" | sed 's/; [01] [01] [23] [23]$/; 0 0 2 2/')"
	fi
fi
finish
