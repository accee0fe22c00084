/* SPDX-License-Identifier: MIT */
/* The command line of the system emulator, and its start. vpmu_boot_start() finds the parts,
 * composes the command line and starts the emulator with a socket for each port of the machine. On
 * success the caller owns the process and all descriptors in `ends`. The emulator ends with vpmu,
 * however vpmu ends. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../wire.h"
#include "host.h"

#define WORDS_MAX 192
#define KERNEL_SETTINGS "console=ttyS0 panic=-1 iomem=relaxed nmi_watchdog=0 " \
	"mitigations=off tsc=reliable no_timer_check apparmor=0 rodata=off random.trust_cpu=on " \
	"8250.nr_uarts=1 cryptomgr.notests lpj=10000000"

#define SEABIOS "/usr/share/seabios/bios-256k.bin"
#define BOARD "q35,i8042=off,sata=off,usb=off,smbus=off,hpet=off,vmport=off,graphics=off,smm=off"

struct command_line {
	char *words[WORDS_MAX];
	int count;
	bool failed;
};

__attribute__((format(printf, 2, 3)))
static void line_add(struct command_line *l, const char *format, ...)
{
	va_list arguments;

	if (l->count == WORDS_MAX - 1) {
		l->failed = true;
		return;
	}
	va_start(arguments, format);
	if (vasprintf(&l->words[l->count], format, arguments) < 0)
		l->failed = true;
	else
		l->words[++l->count] = NULL;
	va_end(arguments);
}

static void line_forget(struct command_line *l)
{
	for (int i = 0; i < l->count; i++)
		free(l->words[i]);
}

/* QEMU's options end at a comma, and two are one. */
static const char *quoted(const char *path, char *out, size_t bytes)
{
	size_t n = 0;

	for (; *path && n + 3 < bytes; path++) {
		out[n++] = *path;
		if (*path == ',')
			out[n++] = ',';
	}
	out[n] = '\0';
	return out;
}

/* ---- files ---- */

struct parts { char qemu[PATH_MAX], kernel[PATH_MAX], modules[PATH_MAX], init[PATH_MAX],
	       model[PATH_MAX]; };

static int find_part(const char *given, const char *name, const char *what, char *out)
{
	if (given) {
		if (snprintf(out, PATH_MAX, "%s", given) < PATH_MAX && !access(out, R_OK))
			return 0;
		vpmu_complain("%s: %s", given, strerror(errno));
		return VPMU_EXIT_FAILURE;
	}
	if (!vpmu_look_for_part(name, out, PATH_MAX))
		return 0;
	vpmu_complain("there is no %s for 'vpmu boot' here: run 'make guest' in the build tree%s",
		      what, strcmp(what, "emulator") ? ", or give your own with --kernel and "
		      "--modules" : "");
	return VPMU_EXIT_FAILURE;
}

static int find_parts(const struct vpmu_boot *boot, struct parts *p)
{
	int rc = find_part(boot->qemu, "guest/qemu-system-x86_64", "emulator", p->qemu);

	if (!rc)
		rc = find_part(boot->kernel, "guest/kernel/vmlinux", "kernel", p->kernel);
	if (!rc)
		rc = find_part(boot->modules, "guest/kernel/modules", "folder of modules",
			       p->modules);
	if (!rc && vpmu_find_part("vpmu-init", p->init, PATH_MAX))
		rc = VPMU_EXIT_FAILURE;
	if (!rc && vpmu_find_part("libvpmu_guest.so", p->model, PATH_MAX))
		rc = VPMU_EXIT_FAILURE;
	return rc;
}

/* ---- the machine ---- */

/* A board has cores of one kind. Those of a hybrid machine have gaps between them: E cores are the
 * first thread of one each, and all CPUs but the first are put in one by one. */
static void add_cores(struct command_line *l, const struct vpmu_machine *m)
{
	uint32_t places = vpmu_core_place(m, m->cores - 1) + 1, cpus = vpmu_machine_cpus(m);
	uint32_t there = vpmu_is_hybrid(m) ? 1 : cpus;

	line_add(l, "-smp");
	line_add(l, "%u,maxcpus=%u,sockets=%u,cores=%u,threads=%u", there,
		 m->packages * places * m->threads, m->packages, places, m->threads);
	for (uint32_t cpu = there; cpu < cpus; cpu++) {
		line_add(l, "-device");
		line_add(l, "%.*s-x86_64-cpu,socket-id=0,core-id=%u,thread-id=%u",
			 (int)strcspn(m->qemu_cpu, ","), m->qemu_cpu,
			 vpmu_core_place(m, vpmu_cpu_core(m, cpu)), vpmu_cpu_thread(m, cpu));
	}
}

static void add_processors(struct command_line *l, const struct vpmu_machine *m)
{
	bool hidden = strstr(m->qemu_cpu, "-hypervisor") != NULL;

	line_add(l, "-accel");
	line_add(l, "tcg,thread=multi");
	line_add(l, "-cpu");
	/* CPUID has the kinds of cores in leaves beyond the last one of QEMU's older models. */
	line_add(l, "%s%s%s,model-id=%s", m->qemu_cpu, hidden ? "" : ",-hypervisor",
		 vpmu_is_hybrid(m) ? ",level=0x1f" : "", m->brand);
	add_cores(l, m);
}

static void add_folder(struct command_line *l, const char *tag, const char *path, bool writable)
{
	char text[2 * PATH_MAX];

	line_add(l, "-fsdev");
	line_add(l, "local,id=%s,path=%s,security_model=none,multidevs=remap%s", tag,
		 quoted(path, text, sizeof(text)), writable ? "" : ",readonly=on");
	line_add(l, "-device");
	line_add(l, "virtio-9p-pci,fsdev=%s,mount_tag=%s", tag, tag);
}

static void add_folders(struct command_line *l, const struct parts *p)
{
	char folder[PATH_MAX];

	add_folder(l, VPMU_TAG_ROOT, "/", false);
	add_folder(l, VPMU_TAG_MODULES, p->modules, false);
	if (vpmu_boot_folder(folder, sizeof(folder)))
		add_folder(l, VPMU_TAG_WORK, folder, true);
}

static void add_port(struct command_line *l, int number, int fd)
{
	line_add(l, "-chardev");
	line_add(l, "socket,id=port%d,fd=%d", number, fd);
	line_add(l, "-device");
	line_add(l, "virtserialport,chardev=port%d,nr=%d,name=vpmu.%d", number, number, number);
}

static void add_board(struct command_line *l, const struct vpmu_boot *boot)
{
	static const char *const fixed[] = {
		"-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-monitor",
		"none", "-chardev", "stdio,id=console,signal=off", "-device",
		"isa-serial,chardev=console,wakeup=on", "-machine", BOARD, "-L",
		"/usr/share/qemu",
	};
	/* The first is small, which saves seconds with many CPUs, but nothing wakes by it. */
	static const char *const firmware[][4] = {
		{ "-bios", "qboot.rom", "-global", "ICH9-LPC.disable_s3=1" },
		{ "-bios", SEABIOS, "-global", "ICH9-LPC.disable_s3=0" },
	};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		line_add(l, "%s", fixed[i]);
	for (int i = 0; i < 4; i++)
		line_add(l, "%s", firmware[boot->suspend][i]);
	line_add(l, "-m");
	line_add(l, "%s", boot->memory);
}

/* affinity: of vpmu_boot_affinity; -1: none is needed. */
static void add_affinity(struct command_line *l, int affinity)
{
	if (affinity < 0)
		return;
	line_add(l, "-acpitable");
	line_add(l, "sig=SRAT,rev=3,data=/proc/self/fd/%d", affinity);
}

static void add_kernel(struct command_line *l, const struct vpmu_boot *boot, const struct parts *p,
		       int image)
{
	char text[2 * PATH_MAX];

	line_add(l, "-kernel");
	line_add(l, "%s", p->kernel);
	line_add(l, "-initrd");
	line_add(l, "/proc/self/fd/%d", image);
	line_add(l, "-append");
	line_add(l, KERNEL_SETTINGS " tsc_early_khz=%llu possible_cpus=%u%s%s%s%s",
		 (unsigned long long)vpmu_tsc_khz(),
		 vpmu_machine_cpus(&boot->place->segment->machine), boot->console ? "" : " quiet",
		 boot->suspend ? " VPMU_SUSPEND=1" : "", boot->append ? " " : "",
		 boot->append ? boot->append : "");
	if (boot->feed) {
		line_add(l, "-plugin");
		line_add(l, "file=%s,segment=%s,node=%llu%s", quoted(p->model, text, sizeof(text)),
			 boot->place->path, (unsigned long long)vpmu_boot_node_bytes(boot),
			 boot->count_boot ? ",from=kernel" : "");
	}
}

/* ---- the process ---- */

struct emulator {
	char **words;
	int log, wake;		/* what it says, and the reading end of boot_ends' `wake` */
	bool suspend;
	const char *model, *segment;
};

static void run_emulator(const struct emulator *e, pid_t parent)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(VPMU_EXIT_FAILURE);
	/* Not in the terminal's foreground: its signals are meant for the program. */
	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(e->wake, 0);
	dup2(e->log, 1);
	dup2(e->log, 2);
	setenv("VPMU_SEGMENT", e->segment, 1);
	setenv("VPMU_GUEST_MODEL", e->model, 1);
	if (e->suspend)
		setenv("VPMU_GUEST_SLEEP", "1", 1);
	else
		unsetenv("VPMU_GUEST_SLEEP");
	execv(e->words[0], e->words);
	dprintf(2, "%s: %s\n", e->words[0], strerror(errno));
	_exit(127);
}

/* far[0]: of the control port, far[1] to far[3]: of the streams. */
enum { LOG_END = 1 + VPMU_STREAMS, WAKE_END, ENDS };

static int make_ends(struct vpmu_boot_ends *ends, int *far)
{
	int *const near[ENDS] = { &ends->control, &ends->streams[0], &ends->streams[1],
				  &ends->streams[2], &ends->log, &ends->wake };
	int pair[2];

	for (int i = 0; i < ENDS; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
			vpmu_complain("cannot make a connection: %s", strerror(errno));
			return VPMU_EXIT_FAILURE;
		}
		*near[i] = pair[0];
		far[i] = pair[1];
		fcntl(far[i], F_SETFD, i >= LOG_END ? FD_CLOEXEC : 0);
		if (i)
			fcntl(pair[0], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

struct files { int image, affinity; };

static int open_files(const struct vpmu_boot *boot, const struct parts *p, struct files *f)
{
	*f = (struct files){ .image = vpmu_boot_image(p->init, p->modules),
			     .affinity = -1 };
	if (f->image >= 0 && vpmu_boot_node_bytes(boot))
		f->affinity = vpmu_boot_affinity(boot);
	return f->image < 0 || (f->affinity < 0 && vpmu_boot_node_bytes(boot)) ?
	       VPMU_EXIT_FAILURE : 0;
}

static void line_compose(struct command_line *l, const struct vpmu_boot *boot,
			 const struct parts *p, const int *far, const struct files *f)
{
	line_add(l, "%s", p->qemu);
	add_board(l, boot);
	add_processors(l, &boot->place->segment->machine);
	/* The first virtio device, for the first process takes its ports to be /dev/vport0pN. */
	line_add(l, "-device");
	line_add(l, "virtio-serial-pci,max_ports=%d", VPMU_PORTS);
	for (int i = 0; i < LOG_END; i++)
		add_port(l, VPMU_PORT_CONTROL + i, far[i]);
	add_folders(l, p);
	add_affinity(l, f->affinity);
	add_kernel(l, boot, p, f->image);
}

static int emulator_start(const struct vpmu_boot *boot, const struct parts *p,
			  struct vpmu_boot_ends *ends)
{
	struct command_line l = { .count = 0 };
	pid_t parent = getpid();
	struct files files;
	int far[ENDS];
	char *segment = realpath(boot->place->path, NULL);
	int rc = open_files(boot, p, &files);

	if (!rc)
		rc = make_ends(ends, far);

	if (rc)
		return rc;
	line_compose(&l, boot, p, far, &files);
	ends->emulator = l.failed ? -1 : fork();
	if (!ends->emulator)
		run_emulator(&(struct emulator){ l.words, far[LOG_END], far[WAKE_END],
			     boot->suspend, p->model, segment ? segment : boot->place->path },
			     parent);
	if (ends->emulator < 0) {
		vpmu_complain("cannot start %s: %s", p->qemu, strerror(errno));
		rc = VPMU_EXIT_FAILURE;
	}
	for (int i = 0; i < ENDS; i++)
		close(far[i]);
	close(files.image);
	close(files.affinity);
	free(segment);
	line_forget(&l);
	return rc;
}

int vpmu_boot_start(const struct vpmu_boot *boot, struct vpmu_boot_ends *ends)
{
	struct parts *p = calloc(1, sizeof(*p));
	int rc = p ? find_parts(boot, p) : VPMU_EXIT_FAILURE;

	if (!rc)
		rc = emulator_start(boot, p, ends);
	free(p);
	return rc;
}
