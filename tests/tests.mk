# What some tests need beside the rest; see the makefile.
EXTRA_LIBS_engine_faults = -Wl,--wrap=open,--wrap=pread,--wrap=pwrite,--wrap=mmap,--wrap=munmap
