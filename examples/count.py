#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts one PAPI event while a long buffer is read, through ctypes:

  vpmu run -m skl-4c8t -- python3 count.py intel_uncore:::skl_unc_imc.DRAM_DATA_READS
"""
import ctypes
import sys

PAPI_NULL = -1
BYTES = 32 << 20


def load():
    """PAPI 7, and its PAPI_VER_CURRENT: the library's name ends with the same numbers."""
    for minor in (3, 2, 1, 0):
        try:
            return ctypes.CDLL(f"libpapi.so.7.{minor}"), 7 << 24 | minor << 16
        except OSError:
            pass
    sys.exit("cannot load libpapi.so.7: no such library; set LD_LIBRARY_PATH to its folder")


papi, VERSION = load()
papi.PAPI_strerror.restype = ctypes.c_char_p


def must(rc, what):
    if rc < 0:
        sys.exit(f"{what}: {papi.PAPI_strerror(rc).decode()}")


def main():
    event = sys.argv[1] if len(sys.argv) > 1 else "intel_uncore:::skl_unc_imc.DRAM_DATA_READS"
    if papi.PAPI_library_init(VERSION) != VERSION:
        sys.exit("libpapi is another version than its name says")
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
