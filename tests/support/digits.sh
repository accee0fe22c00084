# SPDX-License-Identifier: MIT
# Sourced by tests that compare the counts of several runs to the digit. $runs says how many, and the
# test has sourced verdict.sh. OMP_NUM_THREADS and the rest of a program's environment stand here.
# shellcheck shell=bash

ipmu_run=$(command -v ipmu-run)
events=skl_unc_clk.UNC_CLOCK:SOCKET,skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_MESI
events+=,skl_unc_cbo.UNC_CBO_XSNP_RESPONSE:HITM_XCORE,skl_unc_imc.DRAM_DATA_READS
events+=,core_fixed.INST_RETIRED:ANY

# The number and lengths of variables are a program's input, so they are always the same.
clean=(env -i PATH=/usr/bin:/bin "PWD=$scratch" HOME=/ USER=somebody LC_ALL=C OMP_NUM_THREADS=4)
namespace=()	# a command that runs ipmu-run
digits() {	# digits COMMAND...
	"${namespace[@]}" "${clean[@]}" timeout 300 "$ipmu_run" --on skl-4c8t -e "$events" -- "$@" 2>err >out </dev/null ||
		echo "status $?"
	awk '/^    (core|skl_unc)/ { printf "%s ", $2 }' err
	cksum <out
}

busy=()
load() {	# two processes that use the host's CPUs
	local i
	for i in 1 2; do
		sh -c 'while kill -0 "$0" 2>/dev/null; do :; done' $$ &
		busy+=($!)
	done
}
unload() {
	kill "${busy[@]}" 2>/dev/null
	wait "${busy[@]}" 2>/dev/null
	busy=()
}
trap 'unload; rm -rf "$scratch"' EXIT

# About one run of a hundred that had several processes differed, by some lookups and a few dozen
# clocks. Its cause is not known for sure: since threads that return at one clock have an order, 360
# of 360 runs were equal. With $differs set, a third run has to agree with one of two that differ.
commands=0
repeats() {	# repeats COMMAND...: each fourth one under load
	local run first again third loaded=$((commands++ % 4))
	first=$(digits "$@")
	case $first in [0-9]*) ;; *) bad "$*: $first"; tail -n 5 err; return ;; esac
	echo "$*: $first"
	for ((run = 1; run < runs; run++)); do
		[ $loaded != 0 ] || [ $((run % 2)) = 0 ] || load
		again=$(digits "$@")
		unload
		[ "$again" != "$first" ] || continue
		[ "${differs-}" ] || { bad "$*: '$first', then '$again'"; return; }
		third=$(digits "$@")
		echo "$*: differed: $again, then $third"
		[ "$third" = "$first" ] || [ "$third" = "$again" ] ||
			{ bad "$*: '$first', then '$again' and '$third'"; return; }
	done
	ok
}
