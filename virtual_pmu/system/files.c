/* SPDX-License-Identifier: MIT */
/* Calls on descriptors of the machine's devices: reading, writing, mapping, duplicating.
 * vpmu_files_before() answers a call without the host, or lets the host make it; vpmu_files_after()
 * then corrects the answer. descriptors.c has a table of the descriptors' devices, so a call on any
 * other descriptor costs one lookup. Locks are taken in devices.c. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "calls.h"
#include "devices.h"
#include "system.h"

#define HERE INT64_C(-1)	/* at the descriptor's offset */

struct transfer {
	int fd, flags;
	struct vpmu_open_file file;
	bool writes;
	int64_t offset;
};

static int64_t transfer(const struct transfer *t, uint64_t address, uint64_t bytes, int64_t offset)
{
	void *at = bytes ? vpmu_system.memory->memory(address, bytes, !t->writes) : &(char){ 0 };

	if (!at)
		return -EFAULT;
	return t->writes ? vpmu_device_write(t->file, at, bytes, offset) :
			   vpmu_device_read(t->file, at, bytes, offset);
}

static bool mode_allows(const struct transfer *t)
{
	return (t->flags & O_ACCMODE) != (t->writes ? O_RDONLY : O_WRONLY) && !(t->flags & O_PATH);
}

/* As drivers without vectors of their own do it: one after the other until one is short. */
static int64_t transfer_all(const struct transfer *t, const struct iovec *v, size_t count)
{
	bool moves = vpmu_device_moves(t->file.file);
	int64_t offset = t->offset == HERE ? lseek(t->fd, 0, SEEK_CUR) : t->offset, all = 0, n = 0;

	for (size_t i = 0; i < count; i++) {
		n = transfer(t, (uintptr_t)v[i].iov_base, v[i].iov_len, offset);
		if (n < 0)
			break;
		all += n;
		if (moves)
			offset += t->file.file == VPMU_FILE_CPUID ? n / 16 : n;
		if ((size_t)n < v[i].iov_len)
			break;
	}
	if (moves && t->offset == HERE && all)
		lseek(t->fd, offset, SEEK_SET);
	return all || n >= 0 ? all : n;
}

static int64_t on_vector(const struct transfer *t, uint64_t address, int64_t count)
{
	const struct iovec *v;

	if (count < 0 || count > IOV_MAX)
		return -EINVAL;
	if (!count)
		return 0;
	v = vpmu_system.memory->memory(address, (uint64_t)count * sizeof(*v), false);
	return v ? transfer_all(t, v, (size_t)count) : -EFAULT;
}

static bool is_write(int64_t number)
{
	return number == SYS_write || number == SYS_pwrite64 || number == SYS_writev ||
	       number == SYS_pwritev || number == SYS_pwritev2;
}

/* Offset of the call's access, or HERE; below that it is none. */
static int64_t call_offset(int64_t number, const int64_t a[6])
{
	switch (number) {
	case SYS_read: case SYS_write: case SYS_readv: case SYS_writev:
		return HERE;
	case SYS_preadv2: case SYS_pwritev2:
		return a[3];
	default:
		return a[3] < 0 ? INT64_MIN : a[3];
	}
}

static int64_t on_device(int64_t number, const int64_t a[6], struct vpmu_open_file file)
{
	struct transfer t = { (int)a[0], fcntl((int)a[0], F_GETFL), file, is_write(number),
			      call_offset(number, a) };
	const struct iovec one = { (void *)(uintptr_t)a[1], (size_t)a[2] };

	if (!mode_allows(&t))
		return -EBADF;
	if (t.offset < HERE)
		return -EINVAL;
	switch (number) {
	case SYS_read: case SYS_write: case SYS_pread64: case SYS_pwrite64:
		return transfer_all(&t, &one, 1);
	default:
		return on_vector(&t, (uint64_t)a[1], a[2]);
	}
}

static bool is_fixed_random(int64_t number, enum vpmu_file file)
{
	return file == VPMU_RANDOM && number != SYS_ioctl && !is_write(number) &&
	       vpmu_random_is_fixed();
}

static bool on_map(int64_t a[6], int64_t *answer)
{
	struct vpmu_open_file f = { VPMU_HOSTS, 0 };

	if (!(a[3] & MAP_ANONYMOUS))
		f = vpmu_descriptor((int)a[4]);
	if (!vpmu_file_is_device(f.file) && f.file != VPMU_NO_CPU)
		return false;
	if (f.file == VPMU_FILE_MEM)
		return !vpmu_system_map(a, answer);
	*answer = -ENODEV;
	return true;
}

static void files_forget(int64_t number, const int64_t a[6])
{
	switch (number) {
	case SYS_close:
		vpmu_descriptors_forget((int)a[0], (int)a[0]);
		break;
	case SYS_close_range:
		vpmu_descriptors_forget((uint32_t)a[0] > INT_MAX ? INT_MAX : (int)a[0],
					(uint32_t)a[1] > INT_MAX ? INT_MAX : (int)a[1]);
		break;
	default:		/* dup2, dup3 */
		vpmu_descriptors_forget((int)a[1], (int)a[1]);
	}
}

bool vpmu_files_before(int64_t number, int64_t a[6], int64_t *answer)
{
	struct vpmu_open_file f;

	switch (number) {
	case SYS_close: case SYS_close_range: case SYS_dup2: case SYS_dup3:
		files_forget(number, a);
		return false;
	case SYS_munmap:
		vpmu_system_unmap((uint64_t)a[0], (uint64_t)a[1]);
		return false;
	case SYS_mprotect: case SYS_pkey_mprotect:
		return vpmu_system_protect((uint64_t)a[0], (uint64_t)a[1], (int)a[2], answer);
	case SYS_mremap:		/* Linux moves no such mapping that grows */
		*answer = -EFAULT;
		return vpmu_system_in_window((uint64_t)a[0], (uint64_t)a[1]);
	case SYS_mmap:
		vpmu_low_memory_before(a);
		return on_map(a, answer);
	case SYS_fstat: case SYS_getdents64: case SYS_getcwd:
		return false;
	default:
		break;
	}
	f = vpmu_descriptor((int)a[0]);
	*answer = -ENXIO;
	if (f.file == VPMU_NO_CPU)
		return true;
	if (!vpmu_file_is_device(f.file) && !is_fixed_random(number, f.file))
		return false;
	if (number != SYS_ioctl)
		*answer = on_device(number, a, f);
	else if (f.file == VPMU_FILE_BATCH)
		*answer = vpmu_safe_batch((uint64_t)a[1], (uint64_t)a[2],
					  fcntl((int)a[0], F_GETFL));
	else if (f.file == VPMU_FILE_OUTSIDE)
		*answer = vpmu_outside_control((uint64_t)a[1], (uint64_t)a[2]);
	else
		*answer = -ENOTTY;
	return true;
}

/* ---- after ---- */

static bool is_device_name(const char *name)
{
	static const char *const names[] = { "msr", "msr_safe", "msr_batch", "cpuid" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void tell_devices(int fd, uint64_t address, int64_t bytes)
{
	char *at = vpmu_system.memory->memory(address, (uint64_t)bytes, true);

	if (!at || vpmu_descriptor(fd).file != VPMU_DESCRIPTION)
		return;
	for (char *end = at + bytes; at < end;) {
		struct dirent64 *e = (struct dirent64 *)(void *)at;

		if (e->d_type == DT_REG && is_device_name(e->d_name))
			e->d_type = DT_CHR;
		at += e->d_reclen;
	}
}

static void tell_status(int fd, uint64_t address)
{
	struct stat *st = vpmu_system.memory->memory(address, sizeof(*st), true);
	struct vpmu_open_file f;

	if (!st || !S_ISREG(st->st_mode) || st->st_size)	/* not an empty file */
		return;
	f = vpmu_descriptor(fd);
	if (vpmu_file_is_device(f.file))
		vpmu_status_fill(f.file, f.cpu, st, false);
}

void vpmu_files_after(int64_t number, const int64_t a[6], int64_t *answer)
{
	size_t length;
	char *text;

	if (number == SYS_mmap)
		vpmu_system_mapped(a, *answer);
	if (*answer < 0)
		return;
	if (number == SYS_fstat)
		tell_status((int)a[0], (uint64_t)a[1]);
	else if (number == SYS_getdents64 && *answer)
		tell_devices((int)a[0], (uint64_t)a[1], *answer);
	else if (number == SYS_getcwd && *answer > 1) {
		length = (size_t)*answer - 1;
		text = vpmu_system.memory->memory((uint64_t)a[0], (uint64_t)a[1], true);
		if (text && vpmu_tree_outside(text, &length, (size_t)a[1] - 1)) {
			text[length] = '\0';
			*answer = (int64_t)length + 1;
		}
	}
}
