# What some tests need beside the rest; see the makefile.
EXTRA_LIBS_engine_faults = -Wl,--wrap=open,--wrap=pread,--wrap=pwrite,--wrap=mmap,--wrap=munmap \
	-Wl,--wrap=calloc
EXTRA_LIBS_engine_batch = -Wl,--wrap=open,--wrap=close,--wrap=ioctl
EXTRA_LIBS_engine_threads = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc \
	-Wl,--wrap=pthread_mutex_lock,--wrap=nanosleep,--wrap=clock_gettime
EXTRA_LIBS_engine_guard = -Wl,--wrap=clock_gettime,--wrap=pthread_cond_timedwait \
	-Wl,--wrap=pthread_create
EXTRA_LIBS_hostile_damage = -Wl,--wrap=openat,--wrap=pwrite
EXTRA_LIBS_hostile_locks = -Wl,--wrap=clock_gettime,--wrap=nanosleep
EXTRA_LIBS_engine_kills = -Wl,--wrap=pwrite
EXTRA_LIBS_engine_peers = -Wl,--wrap=pwrite,--wrap=clock_gettime
EXTRA_LIBS_engine_peers_safe = -Wl,--wrap=pwrite,--wrap=clock_gettime,--wrap=ioctl
EXTRA_LIBS_engine_lost = -Wl,--wrap=clock_gettime,--wrap=pwrite
EXTRA_LIBS_engine_readers = -Wl,--wrap=pread,--wrap=clock_gettime,--wrap=nanosleep
EXTRA_LIBS_engine_safe = -Wl,--wrap=pread,--wrap=pwrite,--wrap=ioctl
EXTRA_LIBS_engine_fault_table = -Wl,--wrap=open,--wrap=close,--wrap=dup3,--wrap=pread,--wrap=pwrite,--wrap=ioctl,--wrap=mmap,--wrap=munmap
EXTRA_LIBS_engine_undocumented = -Wl,--wrap=open,--wrap=close,--wrap=pread,--wrap=pwrite
EXTRA_LIBS_topo_boxes = -Wl,--wrap=calloc
EXTRA_OBJECTS_topo_boxes = $(O)/hwloc_topo/pmutopo/counts.o $(O)/hwloc_topo/pmutopo/line.o
EXTRA_LIBS_vpmu_frames = -Wl,--wrap=malloc,--wrap=realloc
EXTRA_OBJECTS_vpmu_store = $(O)/virtual_pmu/native/store.o
EXTRA_OBJECTS_glue_events = $(O)/component/papi_glue/event_table.o
EXTRA_LIBS_glue_events = -Wl,--wrap=calloc,--wrap=realloc,--wrap=free
# Memcheck takes minutes for these, of hundreds of processes or threads each, or of much computing in
# code that others run, too. The address sanitizer has them.
# A forked child of papi_node_sum ends with what PAPI has allocated, which memcheck takes for its leak.
# engine_cpuid starts an emulated program, and memcheck takes vpmu's new environment for its leak.
NOT_MEMCHECKED = engine_undocumented feed_instructions feed_levels feed_paths run_compare \
	engine_peers_safe papi_node_sum papi_endurance engine_kills engine_safe engine_threads papi_clients \
	papi_clients_ends engine_cpuid
# ipmu-run's own threads run in these.
THREADED = run_region run_phases
$(O)/tests/clients/two_machines.o: $(T)/papi.built
EXTRA_OBJECTS_papi_clients = $(O)/tests/clients/two_machines.o
EXTRA_OBJECTS_papi_clients_ends = $(O)/tests/clients/two_machines.o
EXTRA_OBJECTS_run_groups = $(patsubst %,$(O)/measure/groups/%.o,find formula group) $(addprefix $(O)/common/,beside.o shown.o)
EXTRA_LIBS_run_groups = $(MUPARSER_LIBS)
EXTRA_OBJECTS_run_values = $(O)/measure/report/values.o $(addprefix $(O)/measure/counting/,parts.o results.o) \
	$(O)/measure/counting/timeline.o $(patsubst %,$(O)/measure/groups/%.o,formula group) $(O)/common/shown.o
EXTRA_LIBS_run_values = $(MUPARSER_LIBS)
EXTRA_OBJECTS_run_compare = $(patsubst %,$(O)/measure/report/%.o,compare explained headline saved) \
	$(O)/measure/profile/where.o $(O)/common/json_reader.o
EXTRA_LIBS_run_compare = $(JSONC_LIBS)
EXTRA_OBJECTS_run_profile = $(patsubst %,$(O)/measure/profile/%.o,callgrind code_file data_table reader source \
	symbols tables weights where)
EXTRA_CPPFLAGS_run_profile = -g
EXTRA_LIBS_run_profile = $(SYMBOL_LIBS)
EXTRA_OBJECTS_run_watch = $(patsubst %,$(O)/measure/counting/%.o,watch timeline)
EXTRA_LIBS_run_watch = -Wl,--wrap=realloc,--wrap=clock_gettime,--wrap=pthread_cond_timedwait
EXTRA_OBJECTS_run_region = $(patsubst %,$(O)/ipmu_run/job/%.o,message node region socket) \
	$(patsubst %,$(O)/measure/counting/%.o,cpus phase_list phases watch timeline window virtual) \
	$(addprefix $(O)/common/,complain.o private_folder.o shown.o)
EXTRA_LIBS_run_region = -Wl,--wrap=clock_gettime
EXTRA_OBJECTS_run_phases = $(patsubst %,$(O)/measure/counting/%.o,phase_list phases timeline virtual watch)
EXTRA_OBJECTS_private_folder = $(O)/common/private_folder.o
EXTRA_OBJECTS_shown = $(O)/common/shown.o
EXTRA_OBJECTS_new_file = $(O)/common/new_file.o
EXTRA_LIBS_new_file = -Wl,--wrap=open,--wrap=access,--wrap=rename
EXTRA_OBJECTS_json_writer = $(O)/common/json_writer.o
EXTRA_LIBS_json_writer = $(JSONC_LIBS) \
	-Wl,--wrap=json_object_new_object,--wrap=json_object_new_array,--wrap=json_object_new_boolean \
	-Wl,--wrap=json_object_new_int64,--wrap=json_object_new_double_s,--wrap=json_object_new_string \
	-Wl,--wrap=json_object_object_add,--wrap=json_object_array_add \
	-Wl,--wrap=json_object_to_json_string_ext
EXTRA_LIBS_engine_pfm_start = -Wl,--wrap=pfm_initialize
EXTRA_OBJECTS_glue_node_sum = $(addprefix $(O)/component/papi_glue/,apart.o node_sum.o)
EXTRA_LIBS_glue_node_sum = -Wl,--wrap=clock_gettime
EXTRA_OBJECTS_check_results = $(O)/component/check/results.o
EXTRA_OBJECTS_check_perf = $(O)/component/check/perf.o
EXTRA_LIBS_check_perf = -Wl,--wrap=fopen,--wrap=opendir,--wrap=syscall
