# SPDX-License-Identifier: MIT
# The makefile of a scratch tree in which code is changed on purpose: what the tests need is built by
# the makefile itself, but libpfm4 and PAPI, which it would build anew from their first file, are
# mended here with the one command that makes the library.
include Makefile

LIBPAPI := stage/lib/$(notdir $(realpath stage/lib/libpapi.so))
LIBPFM := stage/lib/$(notdir $(realpath stage/lib/libpfm.so))

# PAPI compiles and links its library in one command; here each file by itself.
PAPI_COMMAND := $(shell grep -- '^gcc.* -Wl,-soname -Wl,libpapi' $(T)/papi.log 2>/dev/null | tail -n 1)
ifeq ($(PAPI_COMMAND),)
PAPI_COMMAND := $(shell grep -- ' -Wl,-soname -Wl,libpapi' $(T)/papi.log 2>/dev/null | tail -n 1)
endif
PAPI_COMPILE := $(filter-out %.c %.a -Wl% -l% -L% -shared -Bdynamic -o libpapi%,$(PAPI_COMMAND))
papi_object = $(abs_builddir)/obj/papi/$1.o
PAPI_OBJECTS := $(foreach f,$(filter %.c,$(PAPI_COMMAND)),$(call papi_object,$f))
GLUE_HEADERS := $(wildcard component/papi_glue/*.h) $(HEADERS)

$(abs_builddir)/obj/papi/components/papi_glue/%.c.o: component/papi_glue/%.c $(GLUE_HEADERS)
	@mkdir -p $(@D)
	@cd $(PAPI)/src && $(PAPI_COMPILE) -I$(abs_srcdir)/component/papi_glue -w \
		-c $(abs_srcdir)/$< -o $@
$(abs_builddir)/obj/papi/components/intel_%.c.o: component/intel_%.c $(GLUE_HEADERS)
	@mkdir -p $(@D)
	@cd $(PAPI)/src && $(PAPI_COMPILE) -w -c $(abs_srcdir)/$< -o $@
$(abs_builddir)/obj/papi/%.c.o: $(PAPI)/src/%.c
	@mkdir -p $(@D)
	@cd $(PAPI)/src && $(PAPI_COMPILE) -w -c $*.c -o $@
$(LIBPAPI): $(PAPI_OBJECTS) obj/lib/libintelpmu.a
	@cd $(PAPI)/src && $(foreach w,$(PAPI_COMMAND),$(if $(filter %.c,$w),$(call \
		papi_object,$w),$w))
	@cp $(PAPI)/src/$(@F) $@.new && mv $@.new $@

PFM_TABLES := $(filter %.c %.h,$(PFM_EVENT_FILES))
$(LIBPFM): $(PFM_TABLES)
	@for file in $(PFM_TABLES); do \
		case $$file in *.c) to=lib ;; *) to=lib/events ;; esac; \
		cmp -s $$file $(PFM)/$$to/$${file##*/} || cp $$file $(PFM)/$$to/ || exit 1; done
	@cd $(PFM)/lib && rm -f libpfm.a $(foreach f,$(filter %.c,$(PFM_TABLES)),$(addprefix \
		$(basename $(notdir $f)),.lo .o))
	@$(MAKE) -s -C $(PFM)/lib CC='$(CC)' DBG=-g OPTIM=-O2 PREFIX='$(STAGE)' libpfm.a $(@F) \
		>/dev/null
	@cp $(PFM)/lib/$(@F) $@.new && mv $@.new $@

.PHONY: mutation-baseline mutation-program mutation-script
mutation-baseline: all unit-programs $(PFM)/tests/validate $$(call program,$$(DEMO_SRCS) \
		$$(BENCH_SRCS)) $$(MPI_PROGRAMS) $(LIBPAPI) $(LIBPFM)
mutation-program: $(LIBPFM) $(if $(filter papi_%,$(TEST)),$(LIBPAPI)) $(O)/tests/$(TEST)
mutation-script: all $(LIBPAPI) $(LIBPFM) $(if $(filter feed_classes,$(TEST)),$(O)/tests/feed_classes)
mutation-run:
	@export TEST_TIMEOUT=$(LIMIT); $(run_tests) mutation-logs $(PROGRAM)
