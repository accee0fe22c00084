#!/bin/bash
# SPDX-License-Identifier: MIT
# pmutopo on hybrid machines written down from public descriptions, tests/data/topo/hybrids/NAME.cores:
# one row for each L2, in the order of hwloc: 'p' a P core's threads, 'e' a cluster of E cores of a
# thread each, 'lp' one that is not behind the L3. What is expected follows from these rows: a slice for
# each of the first two. That hwloc reads the machine as it is meant is checked by its own tools.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs hwloc-calc
unset HWLOC_SYNTHETIC HWLOC_COMPONENTS HWLOC_FSROOT

# The tree in hwloc's version 2 XML, with the kinds that hwloc reads off CPUID or Linux.
tree() {	# tree FILE
	awk '
		function set(from, to,	i, bits) {
			bits = 0
			for (i = from; i <= to; i++)
				bits += 2 ^ $i
			return sprintf("0x%08x", bits)
		}
		function sets(name, bits) { return sprintf(" %scpuset=\"%s\"", name, bits) }
		function begin(type, bits, more) {
			body = body sprintf("<object type=\"%s\"%s%s nodeset=\"0x1\" " \
				"complete_nodeset=\"0x1\" gp_index=\"%d\"%s>\n", type, sets("", bits),
				sets("complete_", bits), ++id, more)
		}
		function end(n) { while (n--) body = body "</object>\n" }
		function cache(level, bytes, bits) {
			begin("L" level "Cache", bits, " cache_size=\"" bytes "\" depth=\"" level \
				"\" cache_linesize=\"64\" cache_associativity=\"16\" cache_type=\"0\"")
		}
		function core(from, to,	i) {
			begin("Core", set(from, to), "")
			for (i = from; i <= to; i++) {
				begin("PU", set(i, i), " os_index=\"" $i "\"")
				end(1)
			}
			end(1)
		}
		function sum(bits,	i) {
			for (i = 2; i <= NF; i++)
				bits += 2 ^ $i
			return bits
		}
		NR == FNR && /^(p|e)/ { shared = sum(shared) }
		NR == FNR && /^(p|e|lp)/ { all = sum(all) }
		NR == FNR && $1 == "p" { big = sum(big) }
		NR == FNR { next }
		FNR == 1 { id = 3; cache(3, 16777216, sprintf("0x%08x", shared)) }
		$1 == "identity" { family = $2; model = $3; stepping = $4 }
		$1 == "lp" && !left++ { end(1) }
		/^(p|e|lp)/ { cache(2, 2097152, set(2, NF)) }
		$1 == "p" { core(2, NF); end(1) }
		/^(e|lp)/ { for (i = 2; i <= NF; i++) core(i, i); end(1) }
		function info(name, value) {
			return "<info name=\"" name "\" value=\"" value "\"/>\n"
		}
		function kind(rank, bits, name) {
			printf "<cpukind cpuset=\"0x%08x\" forced_efficiency=\"%d\">\n%s</cpukind>\n",
				bits, rank, info("CoreType", name)
		}
		END {
			if (!left)
				end(1)
			tree = body
			body = ""
			everything = sprintf("0x%08x", all)
			id = 0
			begin("Machine", everything, " os_index=\"0\" allowed_cpuset=\"" everything \
				"\" allowed_nodeset=\"0x1\"")
			begin("Package", everything, " os_index=\"0\"")
			begin("NUMANode", everything, " os_index=\"0\" local_memory=\"1073741824\"")
			end(1)
			node = body
			sub(/<object type="NUMANode"/, info("CPUVendor", "GenuineIntel") \
				info("CPUFamilyNumber", family) info("CPUModelNumber", model) \
				info("CPUStepping", stepping) "&", node)
			printf "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" \
				"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
			printf "%s%s</object>\n</object>\n", node, tree
			kind(0, all - big, "IntelAtom")
			kind(1, big, "IntelCore")
			print "</topology>"
		}' "$1" "$1"
}

# CPU package core thread NUMA slice M-Boxes allowed kind, as pmutopo has them.
wanted() {	# wanted FILE
	awk '
		$1 == "slices" { slices = $2 == "yes" }
		!/^(p|e|lp) / { next }
		{ slice = slices && $1 != "lp" ? next_slice++ : "-" }
		{
			for (i = 2; i <= NF; i++)
				print $i, 0, core + ($1 == "p" ? 0 : i - 2), $1 == "p" ? i - 2 : 0, 0,
					slice, "-", "yes", $1 == "p" ? "IntelCore" : "IntelAtom"
			core += $1 == "p" ? 1 : NF - 1
		}' "$1" | sort -n
}

count() { hwloc-calc -q -N "$1" all; }
for file in "$TEST_DATA"/topo/hybrids/*.cores; do
	name=$(basename "$file" .cores)
	tree "$file" >"$scratch/tree.xml"
	export HWLOC_XMLFILE=$scratch/tree.xml
	is "$name: hwloc's L3, L2s, cores, CPUs" \
		"1 $(grep -cE '^(p|e|lp) ' "$file") $(awk '$1 == "p" { n++ } /^(e|lp) / { n += NF - 1 }
			END { print n }' "$file") $(wanted "$file" | wc -l)" \
		"$(count l3cache) $(count l2cache) $(count core) $(count pu)"
	pmutopo >"$scratch/out" 2>"$scratch/err" || bad "pmutopo on $name: $(cat "$scratch/err")"
	is "$name: CPUs" "$(wanted "$file")" \
		"$(sed -n 's/^ *//; s/  */ /g; /^[0-9].* yes [A-Za-z]*$/p' "$scratch/out" | sort -n)"
	is "$name: slices" "$(wanted "$file" | awk '$6 != "-" && !seen[$6]++' | wc -l)" \
		"$(grep -c '_unc_cbo ' "$scratch/out")"
	is "$name: two memory controllers" 2 "$(grep -c '_unc_imc  ' "$scratch/out")"
done
unset HWLOC_XMLFILE
finish
