#!/bin/bash
# SPDX-License-Identifier: MIT
# The vpmu command: errors say what to do, statuses are as documented, machines come and go.
# VPMU: the vpmu binary.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${VPMU:?set VPMU to the vpmu binary}"
export VPMU_TALLY=$scratch/tally	# registers are left changed on purpose

# fails TEXT ARGUMENTS...: vpmu exits with $want, or 125, and says TEXT on stderr
fails() {
	local status=${want:-125} text=$1 said
	shift
	said=$("$VPMU" "$@" 2>&1 >/dev/null)
	is "vpmu $*: status" "$status" $?
	case $said in *"$text"*) ok ;; *) bad "vpmu $*: '$text' is not in '$said'" ;; esac
}
run() { "$VPMU" run --no-feed "$@"; }

# usage
fails Usage
fails "unknown command 'fly'" fly
fails "no program given" run
fails "no program given" run -m skl-4c8t --
fails "vpmu run: unrecognized option '--frobnicate'" run --frobnicate true
fails "vpmu run --help" run --frobnicate true
fails "'vpmu machines' has no --machine" machines -m skl-4c8t
fails "vpmu: $scratch/none/x: cannot create it" run -s "$scratch/none/x" true
fails "there are, for example, skl-4c8t" run -m xyz-4c8t true
fails "skl-4c4t or skl-4c8t" run -m skl-4c6t true
fails "at most 512" run -m skl-600c600t true
fails "0 threads on 4 cores" run -m skl-4c0t true
fails "more than 64 cores" run -m skl-65c65t true
fails "1 to 8" run --slices 9 true
fails "fixed on lnl-4p4e8t" run -m lnl-4p4e8t --slices 2 true
fails "fixed on core2-2c" run -m core2-2c --slices 2 true
fails "fixed on knc-4c16t" run -m knc-4c16t --slices 1 true
fails "32K,8,64" run --l2 256K true
fails "32K,8,64" run --l2 256K,4, true
fails "32K,8,64" run --l2 256K,4,32 true
fails "32K,8,64" run --llc 1000,16,64 true
fails "32K,8,64" run --l1d 18014398509482016K,8,64 true
fails "the same cache of core2-4c" run -m core2-4c --l2 2M,8,64 --llc 2M,8,64 true
fails "--devices 999: write MODE" run --devices 999 true
fails "--msr-safe=$scratch: Is a directory" run --msr-safe="$scratch" true
# An allowlist is refused by line: a word that is no number; two addresses that are the same.
printf '# x\n0x396 0x0\n\n0xE01 mask\n' >"$scratch/words"
fails "--msr-safe=$scratch/words: line 4, '0xE01 mask': write 'ADDRESS" run --msr-safe="$scratch/words" true
printf '0x396 0x0 # a\n0xE01 0x1\n918 0x0\n' >"$scratch/same"
fails "--msr-safe=$scratch/same: line 3: address 0x396 is in" run --msr-safe="$scratch/same" true
fails "-s '': give the path" run -s '' true
fails "up to 1024G" boot --memory 99999999999999999999G true
fails "up to 1024G" boot --memory 2000G true
fails "REGISTER=VALUE" run --set 0x700 true
fails "no register 'MSR_UNC_CBO_7_PERFCTR0'" run --set MSR_UNC_CBO_7_PERFCTR0=1 true
fails "at most 44 bits" run --set 0x706=0x100000000000 true
fails "at most 44 bits" run --set 0x706=-1 true
fails "at most 44 bits" run --set "0x706= 5" true
fails "takes no argument" machines all
fails "-m and -s cannot be combined" regs -m skl-4c8t -s x
fails "$scratch/none: cannot open" regs -s "$scratch/none"
for command in "" run machines events regs; do
	# shellcheck disable=SC2086
	"$VPMU" $command --help >"$scratch/help" 2>&1
	is "$command --help" 0 $?
	grep -q '^Usage: vpmu' "$scratch/help" && ok || bad "$command --help prints the usage"
done

for listing in machines events regs "regs --tsv" --help --version "run --help"; do
	# shellcheck disable=SC2086
	said=$("$VPMU" $listing 2>&1 >/dev/full; echo "status $?")
	is "$listing, on a full disk" 'vpmu: standard output: No space left on device status 125' \
		"${said//$'\n'/ }"
done

# an emulator that is none: the program has not run
for other in true false; do
	VPMU_QEMU=/bin/$other fails "/bin/$other ended with status $([ $other = true ]; echo $?)" run true
done
printf '#!/bin/sh\nkill -TERM $$\n' >"$scratch/ended"; chmod +x "$scratch/ended"
VPMU_QEMU=$scratch/ended "$VPMU" run true 2>"$scratch/err"
is "the status of a killed emulator" "143 0" "$? $(wc -c <"$scratch/err")"

# a limit of the size of files
said=$( (ulimit -f 0; "$VPMU" run --no-feed true; echo "status $?") 2>&1 | cat)
case $said in
*": File too large; raise the limit, 'ulimit -f'"*'status 125') ok ;;
*) bad "a limit of files: $said" ;;
esac

# programs
want=127 fails "none: no such file" run --no-feed "$scratch/none"
want=127 fails "no such program in PATH" run --no-feed surely-no-such-program
want=126 fails "$scratch: a folder" run --no-feed "$scratch"
: >"$scratch/plain"
want=126 fails "plain: it is not executable" run --no-feed "$scratch/plain"
PATH=$scratch:$PATH want=126 fails "plain: Permission denied" run --no-feed plain
printf 'text\n' >"$scratch/text"; chmod +x "$scratch/text"
want=126 fails "not an x86-64 program" run --no-feed "$scratch/text"
printf '#!%s/none\n' "$scratch" >"$scratch/script"; chmod +x "$scratch/script"
want=127 fails "its interpreter" run --no-feed "$scratch/script"
printf '#!/bin/sh -e\necho "$0 $# $2"; false; exit 0\n' >"$scratch/script"
is "a script's output" "$scratch/script 2 b c" "$(run "$scratch/script" a 'b c')"
run sh -c 'exit 42'; is "the program's own status" 42 $?
run sh -c 'kill -TERM $$'; is "a signal's status" 143 $?
is "arguments with blanks" "a b|c" "$(run printf '%s|%s' 'a b' c)"
is "options after the program are its own" "-m x" "$(run echo -m x)"
mkdir "$scratch/empty"
VPMU_LIBDIR=$scratch/empty fails "no libvpmu_native.so in VPMU_LIBDIR" run --no-feed true
cp "$(find "${STAGE:-$(dirname "$VPMU")/..}" -name libvpmu_native.so | head -n 1)" "$scratch/empty"
VPMU_LIBDIR=$scratch/empty fails "no libvpmu_feed.so in VPMU_LIBDIR" run true
native=$(find "$(dirname "$VPMU")/.." -name libvpmu_native.so)
for folder in 'a blank' a,comma a:colon; do
	mkdir "$scratch/$folder" && cp "$native" "$scratch/$folder"
	VPMU_LIBDIR=$scratch/$folder fails "$folder/libvpmu_native.so: neither LD_PRELOAD nor QEMU" \
		run --no-feed true
done
is "that is all it says" 1 "$(VPMU_LIBDIR=$scratch/empty "$VPMU" run true 2>&1 | wc -l)"

# signals reach the program
"$VPMU" run --no-feed sh -c 'trap "exit 9" TERM; echo up; while :; do sleep 0.1; done' >"$scratch/up" &
for _ in $(seq 30000); do [ -s "$scratch/up" ] && break; sleep 0.1; done
kill -TERM $!
wait $!; is "SIGTERM is forwarded" 9 $?

# segments
head -c 3000 /dev/zero >"$scratch/zeros"
fails "$scratch/zeros: not the segment" run --no-feed -s "$scratch/zeros" true
run -m skl-2c4t -s "$scratch/kept" true; is "a named segment" 0 $?
[ -e "$scratch/kept" ] && ok || bad "a named segment stays"
fails "cannot be joined as 'skl-4c8t'" run --no-feed -m skl-4c8t -s "$scratch/kept" true
fails "cannot be joined" run --no-feed -m skl-2c4t --slices 1 -s "$scratch/kept" true
is "joining without -m" 4 "$(run -s "$scratch/kept" getconf _NPROCESSORS_ONLN)"
is "VPMU_SEGMENT is joined" 4 "$(VPMU_SEGMENT=$scratch/kept run getconf _NPROCESSORS_ONLN)"
truncate -s 5000 "$scratch/kept"
fails "$scratch/kept: truncated" run --no-feed -s "$scratch/kept" true
fails "$scratch/nowhere/x" run --no-feed -s "$scratch/nowhere/x" true
# shellcheck disable=SC2016
own=$(run sh -c 'echo "$VPMU_SEGMENT"')
[ -n "$own" ] && [ ! -e "$own" ] && [ ! -e "$own.xml" ] && ok || bad "its own segment goes: $own"
job="PMIX_NAMESPACE=vpmu-cli-$$"
mkfifo "$scratch/stays"
env "$job" "$VPMU" run --no-feed sh -c 'echo "$VPMU_SEGMENT" >'"$scratch"'/a; cat' <"$scratch/stays" >/dev/null &
exec {stays}>"$scratch/stays"
for _ in $(seq 30000); do [ -s "$scratch/a" ] && break; sleep 0.1; done
is "ranks of a job share the machine" "$(cat "$scratch/a")" \
	"$(env "$job" "$VPMU" run --no-feed sh -c 'echo "$VPMU_SEGMENT"')"
[ -e "$(cat "$scratch/a")" ] && ok || bad "the machine stays while a rank is on it"
env "$job" "$VPMU" run --no-feed -m skl-2c2t true 2>/dev/null
is "another machine in the same job" 125 $?
exec {stays}>&-
wait
[ ! -e "$(cat "$scratch/a")" ] && ok || bad "the last rank removes the machine"

# settings and registers
is "slices" 3 "$(run --slices 2 sh -c 'command -v rdmsr >/dev/null && rdmsr 0x396 || echo 3')"
run -s "$scratch/set" --set msr_unc_cbo_1_perfctr0=0xABC --set 0x395=7 --set IMC_BAR=0xFED10000 true
is "a number inside of a register's name" 'IA32_PMC_GP9_CFG_A IA32_PMC_FX0_CTR' \
	"$("$VPMU" regs -m ptl-4p8e4lp16t | awk '$2 == "0x1925" || $2 == "0x1980" { print $1 }' | paste -sd' ')"
regs=$("$VPMU" regs -s "$scratch/set" --tsv)
for row in "MSR_UNC_CBO_1_PERFCTR0 0x716 44 RW 0xABC" "MSR_UNC_PERF_FIXED_CTR 0x395 48 RW 0x7" \
	   "IMC_BAR pci:00:00.0+0x48 64 RO 0xFED10000" "MSR_UNC_CBO_CONFIG 0x396 64 RO 0x5"; do
	printf '%s\n' "$regs" | awk -F'\t' '{ print $1, $2, $3, $4, $NF }' | grep -qxF "$row" &&
		ok || bad "regs -s does not show: $row"
done
is "registers of a machine with 4 slices: 32, 27 of a core, and the title" 60 "$("$VPMU" regs --tsv | wc -l)"
is "with 8 slices: 48, 39 of a core with one thread, and the title" 88 "$("$VPMU" regs -m skl-8c8t --tsv | wc -l)"
is "documented events: 28, 193 and 29 groups of a core, title and sum" 252 "$("$VPMU" events | wc -l)"
is "two of the uncore are not driven" 2 "$("$VPMU" events | grep -v "^PMC" | grep -c " no  *stays 0")"

# strict
if command -v wrmsr >/dev/null; then
	run --strict wrmsr 0x394 0x400001 2>/dev/null; is "--strict with a violation" 3 $?
	run --strict wrmsr 0x394 0x400000 2>/dev/null; is "--strict without" 0 $?
	run -s "$scratch/twice" wrmsr 0x394 0x400001 2>/dev/null
	is "violations are told once" "" "$(run -s "$scratch/twice" true 2>&1)"
fi

# the first file that is opened gets descriptor 0
is "without a standard input" 8 "$(run -m skl-4c8t getconf _NPROCESSORS_ONLN <&-)"

# topology, read by hwloc's own tool
if command -v lstopo-no-graphics >/dev/null; then
	for shape in "skl-4c8t 1 4 8" "skl-1c1t 1 1 1" "skl-256c512t 1 256 512"; do
		# shellcheck disable=SC2086
		set -- $shape
		# shellcheck disable=SC2016
		run -m "$1" sh -c 'unset LD_PRELOAD; show="lstopo-no-graphics -i $HWLOC_XMLFILE"
			$show --only core | wc -l
			$show --only pu | wc -l
			$show --of xml | grep -c "VirtualPMU '"$1"' "' >"$scratch/topology" 2>&1
		is "topology of $1" "$3 $4 1" "$(paste -sd' ' "$scratch/topology")"
	done
fi

finish
