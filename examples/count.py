#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts one PAPI event while a long buffer is read, through ctypes:

  vpmu run -m skl-4c8t -- python3 count.py intel_uncore:::skl_unc_imc.DRAM_DATA_READS
"""
import ctypes
import sys

PAPI_NULL = -1
VERSION = 7 << 24               # PAPI_VER_CURRENT of PAPI 7.0
BYTES = 32 << 20

papi = ctypes.CDLL("libpapi.so.7.0")
papi.PAPI_strerror.restype = ctypes.c_char_p


def must(rc, what):
    if rc < 0:
        sys.exit(f"{what}: {papi.PAPI_strerror(rc).decode()}")


def main():
    event = sys.argv[1] if len(sys.argv) > 1 else "intel_uncore:::skl_unc_imc.DRAM_DATA_READS"
    if papi.PAPI_library_init(VERSION) != VERSION:
        sys.exit("libpapi is another version than 7.0")
    buffer = bytearray(b"\1") * BYTES
    events = ctypes.c_int(PAPI_NULL)
    count = ctypes.c_longlong()
    must(papi.PAPI_create_eventset(ctypes.byref(events)), "event set")
    must(papi.PAPI_add_named_event(events, event.encode()), event)
    must(papi.PAPI_start(events), "start")
    found = buffer.find(b"\2")  # reads all of it
    must(papi.PAPI_stop(events, ctypes.byref(count)), "stop")
    print(f"{event} {count.value} ({BYTES // 64} lines of 64 bytes were read, found {found})")
    papi.PAPI_shutdown()


if __name__ == "__main__":
    main()
