#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts one event while a long buffer is read:

  vpmu run -m skl-4c8t -- python3 count.py skl_unc_imc.DRAM_DATA_READS
"""
import sys

import ipmu

BYTES = 32 << 20


def main():
    event = sys.argv[1] if len(sys.argv) > 1 else "intel_uncore:::skl_unc_imc.DRAM_DATA_READS"
    buffer = bytearray(b"\1") * BYTES
    try:
        with ipmu.Counter(event) as counter:
            found = buffer.find(b"\2")  # reads all of it
    except ipmu.Error as error:
        sys.exit(str(error))
    print(f"{event} {counter.values[event]} ({BYTES // 64} lines of 64 bytes were read, found {found})")


if __name__ == "__main__":
    main()
