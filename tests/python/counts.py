# SPDX-License-Identifier: MIT
# Counts instructions and lines read of buffers of two sizes.
import ipmu
reads, instructions = "intel_uncore:::skl_unc_imc.DRAM_DATA_READS", "skl.INST_RETIRED:ANY_P"
counter = ipmu.Counter(instructions, reads)
print(*counter.units.values(), sep=", ")
for mib in 8, 4:
    buffer = bytearray(b"\1") * (mib << 20)
    evict = bytearray(b"\1") * (16 << 20)
    with counter:
        buffer.find(b"\2")
        so_far = counter.read()[reads]
    lines = mib << 14
    print(lines <= so_far <= counter.values[reads] <= 1.1 * lines, list(counter.values) == [instructions, reads])
    print(counter.values[instructions] > lines)
