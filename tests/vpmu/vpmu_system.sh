#!/bin/bash
# SPDX-License-Identifier: MIT
# What /proc/cpuinfo, /sys/devices/system and lscpu say on a machine: the shape that its name gives,
# the caches of the processor's manual, nothing of the host's.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs lscpu

on() { timeout $HANG_SECONDS "$vpmu" run --no-feed -m "$@"; }
field() { sed -n "s/^$1: *//p" "$scratch/lscpu"; }

# machine; CPUs, threads a core, cores a package, packages, nodes; L1d, L2, L3: bytes and instances
while read -r machine cpus threads cores packages nodes l1d l2 l3; do
	on "$machine" lscpu >"$scratch/lscpu"
	is "$machine: shape" "$cpus $threads $cores $packages $nodes" "$(field 'CPU(s)') $(field \
		'Thread(s) per core') $(field 'Core(s) per socket') $(field 'Socket(s)') $(field \
		'NUMA node(s)')"
	is "$machine: its name" "VirtualPMU $machine" "$(field 'Model name' | cut -d' ' -f1,2)"
	is "$machine: caches" "$l1d $l2 $l3" "$(on "$machine" lscpu -B -C=NAME,ALL-SIZE,ONE-SIZE |
		awk '{ c[$1] = $3 > 0 ? $3 "*" $2 / $3 : "" }
		     END { print c["L1d"], c["L2"], (c["L3"] ? c["L3"] : "-") }')"
done <<-'TABLE'
	skl-4c8t 8 2 4 1 1 32768*4 262144*4 8388608*1
	knc-4c16t 16 4 4 1 1 32768*4 524288*4 -
	core2-4c 4 1 2 2 1 32768*4 4194304*2 -
	nhmex-4p32c64t 64 2 8 4 4 32768*32 262144*32 25165824*4
	p4-2p4t 4 2 1 2 1 16384*2 1048576*2 -
TABLE
is "an LLC of another size" "4194304" "$(on skl-4c8t --llc 4M,16,64 lscpu -B -C=NAME,ONE-SIZE |
	awk '$1 == "L3" { print $2 }')"

is "the L2 of a machine without an L3, of another size" "2097152" "$(on core2-4c --l2 2M,8,64 lscpu -B \
	-C=NAME,ONE-SIZE | awk '$1 == "L2" { print $2 }')"

# The same by other ways: paths that are relative, doubled slashes, links, each CPU of a core.
cat >"$scratch/look" <<'LOOK'
#!/bin/bash
grep -c '^processor' /proc/cpuinfo
cat /sys/devices/system/cpu/cpu3/topology/thread_siblings_list
cat /sys//devices/system/cpu/cpu7/cache/index3/shared_cpu_list
(cd /proc && grep -c 'model name.*: VirtualPMU skl-4c8t' cpuinfo)
(cd /sys && cat devices/system/cpu/online)
(cd /sys/devices/system/cpu && cat present)
cat /sys/devices/./system/cpu/present /sys/bus/../devices/system/cpu/present //sys/devices/system/cpu/present
cat /tmp/../sys/devices/system/cpu/present
(cd /sys/bus && cat ../devices/system/cpu/present ./cpu/devices/cpu3/topology/core_id)
ls /sys/devices/system/cpu | grep -c '^cpu[0-9]'
ls -d /sys/devices/system/cpu/cpu[0-9]* | wc -l
basename "$(readlink -f /sys/devices/system/cpu/cpu5/node0)"
cat /sys/devices/system/node/node0/cpumap
test -e /sys/devices/system/cpu/cpu8 && echo 'a ninth CPU'
grep -c '^cpu[0-9]' /proc/stat
cut -d' ' -f1-3 /proc/loadavg
stat -c %F /sys/fs/cgroup /proc/cgroups /proc/self/cgroup /proc/$$/cgroup /proc/self/task/$$/cpuset 2>/dev/null
(cd /proc/self && cat ./cgroup ../self/cpuset) 2>/dev/null
stat -c %F /sys/bus/event_source /proc/sys/kernel/perf_event_paranoid 2>/dev/null
exit 0
LOOK
chmod +x "$scratch/look"
is "looked at in many ways" "8 3,7 0-7 8 0-7 0-7 0-7 0-7 0-7 0-7 0-7 3 8 8 node0 ff 8 0.00 0.00 0.00" "$(on skl-4c8t "$scratch/look" | paste -sd' ')"

# The host's PMU: the kernel gives no counter of it, the instruction is refused.
if compile "$scratch/host" host_pmu.c && command -v qemu-x86_64 >/dev/null; then
	is "no counter of the host's" '-1 1 rdpmc is refused' \
		"$(timeout $HANG_SECONDS "$vpmu" run -m hsw-4c8t -- "$scratch/host")"
	is "nor natively" '-1 1' "$(on skl-4c8t "$scratch/host" | cut -d' ' -f1,2)"
fi

# Most files of the description are one file under many names; what root can write is not.
is "a CPU's own switch" 1 "$(on skl-4c8t sh -c 'stat -c %h "$VPMU_SEGMENT.system/cpu/cpu1/online"')"
own=$(on skl-4c8t sh -c 'echo "$VPMU_SEGMENT.system"; test -d "$VPMU_SEGMENT.system" && echo there')
is "the description goes with the machine" there "$(sed -n 2p <<<"$own")"
[ ! -e "$(sed -n 1p <<<"$own")" ] && ok || bad "$own stays"
is "no machine: the host's" "$(getconf _NPROCESSORS_ONLN)" \
	"$(LD_PRELOAD=$STAGE_LIB/ipmu/libvpmu_native.so grep -c '^processor' /proc/cpuinfo)"
finish
