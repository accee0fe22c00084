/* SPDX-License-Identifier: MIT */
#include "follow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../machine/program.h"
#include "inside.h"
#include "links.h"

/* A program must have these in its environment to be on the machine, whatever its caller gives
 * it. */
static const char *const kept_names[] = {
	"VPMU_SEGMENT", VPMU_FEED_ENV, VPMU_FOLLOW_ENV, VPMU_TOOL_ENV, "HWLOC_XMLFILE",
	"HWLOC_THISSYSTEM", "HWLOC_PLUGINS_PATH", "IPMU_STATE_DIR", "UCX_MEM_EVENTS",
	"OMPI_MCA_btl_vader_single_copy_mechanism",
};
#define KEPT (sizeof(kept_names) / sizeof(kept_names[0]))

static char *kept[KEPT];		/* NAME=VALUE as this process was started with; or NULL */
static const char *emulator, *tool;
static char shim_path[PATH_MAX], feed_path[PATH_MAX];

struct room {
	struct shim_beyond beyond;
	struct vpmu_program program;
	struct vpmu_emulator emulator;
	const char *settings[KEPT + 1];
	const char *words[];		/* the arguments, and then the environment */
};

/* NULL: there is no room for it. */
static char *copy_setting(const char *name, const char *value)
{
	static char room[KEPT * PATH_MAX], *at = room;
	char *setting = at;

	if (strlen(name) + strlen(value) + 2 > (size_t)(room + sizeof(room) - at))
		return NULL;
	at = shim_text_add(shim_text_add(shim_text_add(at, name), "="), value) + 1;
	return setting;
}

/* Its value; NULL: it is not kept. */
static const char *keep_setting(size_t i)
{
	const char *value = shim_variable(environ, kept_names[i]);

	if (value && !value[strcspn(value, ",")])	/* where the emulator would split it */
		kept[i] = copy_setting(kept_names[i], value);
	return kept[i] ? kept[i] + strlen(kept_names[i]) + 1 : NULL;
}

/* Is this library's name at the end of a path of so many bytes? */
static bool is_shim(const char *path, size_t bytes)
{
	static const char name[] = "/" VPMU_SHIM_LIBRARY;
	size_t length = sizeof(name) - 1;

	return bytes >= length && bytes < sizeof(shim_path) &&
	       !strncmp(path + bytes - length, name, length);
}

/* This library is one of those that were to be preloaded, and the feed is beside it. To ask
 * dladdr() would be emulated, and counted. */
static bool find_libraries(void)
{
	const char *at = shim_variable(environ, "LD_PRELOAD");
	size_t bytes = 0;

	while (at && !is_shim(at, bytes = strcspn(at, ": ")))
		at = at[bytes] ? at + bytes + 1 : NULL;
	if (!at)
		return false;
	memcpy(shim_path, at, bytes);
	memcpy(feed_path, at, bytes - strlen(VPMU_SHIM_LIBRARY));
	shim_text_add(feed_path + bytes - strlen(VPMU_SHIM_LIBRARY), VPMU_FEED_LIBRARY);
	return true;
}

/* When the process starts, and not when it is needed: programs change their environment. It is the
 * first of all, because the emulator forgets what it has translated when shared memory is first
 * mapped; and by code of the shim alone where there is some, because it runs in every program. */
__attribute__((constructor(101))) static void look(void)
{
	int saved = errno;

	for (size_t i = 0; i < KEPT; i++) {
		const char *value = keep_setting(i);

		if (!strcmp(kept_names[i], VPMU_FOLLOW_ENV))
			emulator = value;
		if (!strcmp(kept_names[i], VPMU_TOOL_ENV))
			tool = value;
	}
	/* vpmu starts the emulator itself. */
	if (!find_libraries() || shim_same_file("/proc/self/exe", tool))
		emulator = NULL;
	if (emulator) {
		shim_machine();
		shim_links_begin();
	}
	errno = saved;
}

/* A process can outlive its machine, and is then on none. */
bool shim_following(void)
{
	const char *segment = emulator ? shim_segment_path() : NULL;
	int saved = errno;
	bool there = segment && !access(segment, F_OK);

	errno = saved;
	return there;
}

/* A process that became another user still has the machine mapped, but its children could not open
 * the segment. */
static bool may_open_machine(void)
{
	int saved = errno;
	bool may = !eaccess(shim_segment_path(), R_OK | W_OK);

	errno = saved;
	return may;
}

static void tell(const char *path, enum vpmu_program_kind kind)
{
	static const char *const said[] = {
		[VPMU_PROGRAM_STATIC] = "is statically linked: it is counted, but cannot be given "
					"the machine's device files and CPUs, and what it executes "
					"leaves the machine",
		[VPMU_PROGRAM_PRIVILEGED] = "gets rights from its file (set-user-id, set-group-id, "
					    "capabilities), or may not be read: it leaves the "
					    "machine and is not counted",
		[VPMU_PROGRAM_SANITIZED] = "has a sanitizer's runtime, which the emulator cannot "
					   "run: it leaves the machine and is not counted",
		[VPMU_PROGRAM_OTHERS] = "runs as a user who may not open the machine: it leaves it "
					"and is not counted",
		[VPMU_PROGRAM_FOREIGN] = "is no x86-64 program and no script of one: it leaves the "
					 "machine and is not counted",
	};

	if (kind == VPMU_PROGRAM)
		return;
	dprintf(STDERR_FILENO, "vpmu: warning: %s %s\n", path, said[kind]);
	if (kind != VPMU_PROGRAM_STATIC)	/* the feed sees whether it executes anything */
		__atomic_fetch_add(&shim_machine()->left_count, 1, __ATOMIC_RELAXED);
}

static size_t count(char *const list[])
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* The emulator itself must not have the shim: it is told to preload it in the program. */
static void fill_environment(char *const envp[], struct room *room, const char **out)
{
	size_t settings = 0;

	for (; envp && *envp; envp++)
		if (strncmp(*envp, "LD_PRELOAD=", 11))
			*out++ = *envp;
	*out = NULL;
	for (size_t i = 0; i < KEPT; i++)
		if (kept[i] && !shim_variable(envp, kept_names[i]))
			room->settings[settings++] = kept[i];
}

static void fill(struct room *room, char *const argv[], char *const envp[], struct shim_follow *out)
{
	const char **variables = room->words + VPMU_EMULATOR_WORDS + 2 * KEPT + count(argv);
	struct vpmu_emulator *e = &room->emulator;
	char *const *all = envp;

	snprintf(e->qemu, sizeof(e->qemu), "%s", emulator);
	vpmu_emulator_fill(e, &shim_machine()->machine, feed_path, shim_segment_path(),
			   room->program.kind == VPMU_PROGRAM_STATIC);
	vpmu_emulator_preload(e, shim_path, shim_variable(all, "LD_PRELOAD"));
	fill_environment(all, room, variables);
	vpmu_emulator_words(e, &room->program, room->settings, argv, room->words);
	out->path = e->qemu;
	out->argv = (char **)(uintptr_t)room->words;
	out->envp = (char **)(uintptr_t)variables;
}

/* Tells why, when it leaves the machine. */
static bool stays(const char *path, struct vpmu_program *program)
{
	enum vpmu_program_kind kind;

	if (shim_same_file(path, tool) || shim_same_file(path, emulator) ||
	    vpmu_program_load(path, program))	/* the kernel says what is wrong with it */
		return false;
	kind = may_open_machine() ? program->kind : VPMU_PROGRAM_OTHERS;
	tell(program->path, kind);
	return kind == VPMU_PROGRAM || kind == VPMU_PROGRAM_STATIC;
}

bool shim_follow(const char *path, char *const argv[], char *const envp[], struct shim_follow *out)
{
	static char *const none[] = { NULL };
	size_t pointers = VPMU_EMULATOR_WORDS + 2 * KEPT + count(argv) + count(envp) + 1;
	struct room *room;

	if (!path || !shim_following())
		return false;
	/* The heap cannot be used: this may be a child of vfork, or of a process with many
	 * threads. */
	out->bytes = sizeof(*room) + pointers * sizeof(room->words[0]);
	out->room = room = shim_map(out->bytes);
	if (!room)
		return false;
	path = shim_beyond_links(path, &room->beyond);
	if (!stays(path, &room->program)) {
		shim_follow_end(out);
		return false;
	}
	fill(room, argv ? argv : none, envp, out);	/* no arguments: as the kernel has it */
	return true;
}

void shim_follow_end(struct shim_follow *f)
{
	const struct room *room = f->room;

	shim_beyond_end(&room->beyond);
	shim_unmap(f->room, f->bytes);
}
