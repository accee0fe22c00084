/* SPDX-License-Identifier: MIT */
#include "link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "new_file.h"
#include "now.h"

#define SECRET_BYTES 16
#define SECRET_TEXT (2 * SECRET_BYTES + 1)
#define PATH_BYTES 4352
#define CONNECT_MS 1000
#define SEND_S 10
#define TEXT_MAX (16u << 20)
#define LINKS_MAX 100000
#define END "end\n"

struct links {
	int fd;
	char path[PATH_BYTES], secret[SECRET_TEXT];
	struct link *list;
	int n;
};

/* ---- the first node ---- */

static int make_secret(char out[SECRET_TEXT])
{
	unsigned char bytes[SECRET_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

/* Both kinds of addresses, where the kernel has both. */
static int listen_anywhere(int *port)
{
	struct sockaddr_in6 any6 = { .sin6_family = AF_INET6, .sin6_addr = in6addr_any };
	struct sockaddr_in any4 = { .sin_family = AF_INET };
	socklen_t bytes = sizeof(any6);
	int no = 0, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
	if (fd < 0 || bind(fd, (struct sockaddr *)&any6, sizeof(any6))) {
		if (fd >= 0)
			close(fd);
		fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd >= 0 && bind(fd, (struct sockaddr *)&any4, sizeof(any4))) {
			close(fd);
			fd = -1;
		}
	}
	if (fd < 0 || listen(fd, 4096) || getsockname(fd, (struct sockaddr *)&any6, &bytes))
		return -errno;
	*port = ntohs(any6.sin6_port);	/* it stands in the same place in both */
	return fd;
}

static void put_addresses(FILE *f)
{
	char text[INET6_ADDRSTRLEN];
	struct ifaddrs *list, *a;

	if (getifaddrs(&list))
		return;
	for (a = list; a; a = a->ifa_next) {
		const void *where = NULL;

		if (!a->ifa_addr || (a->ifa_flags & (IFF_LOOPBACK | IFF_UP)) != IFF_UP)
			continue;
		if (a->ifa_addr->sa_family == AF_INET)
			where = &((const struct sockaddr_in *)(const void *)a->ifa_addr)->sin_addr;
		else if (a->ifa_addr->sa_family == AF_INET6)
			where = &((const struct sockaddr_in6 *)(const void *)a->ifa_addr)
				->sin6_addr;
		if (where && strncmp("fe80", inet_ntop(a->ifa_addr->sa_family, where, text,
						       sizeof(text)), 4))
			fprintf(f, "%s\n", text);
	}
	freeifaddrs(list);
}

/* It appears whole, and only its owner can read it. */
static int publish(const struct links *l, int port)
{
	struct new_file n;
	int rc = new_file_open(&n, l->path, 0600);

	if (!rc) {
		fprintf(n.f, "%s %d\n", l->secret, port);
		put_addresses(n.f);
		rc = new_file_publish(&n);
	}
	new_file_drop(&n);
	return rc;
}

int links_open(const char *path, struct links **out)
{
	struct links *l = calloc(1, sizeof(*l));
	int port = 0, rc = l ? make_secret(l->secret) : -ENOMEM;

	if (!rc && snprintf(l->path, sizeof(l->path), "%s", path) >= (int)sizeof(l->path))
		rc = -ENAMETOOLONG;
	if (!rc) {
		l->fd = listen_anywhere(&port);
		rc = l->fd < 0 ? l->fd : publish(l, port);
		if (rc && l->fd >= 0)
			close(l->fd);
	}
	if (rc)
		free(l);
	else
		*out = l;
	return rc;
}

static void take_new(struct links *l)
{
	const int yes = 1, idle = 30, interval = 10, count = 3;
	int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct link *more;

	if (fd < 0)
		return;
	more = l->n < LINKS_MAX ? realloc(l->list, (size_t)(l->n + 1) * sizeof(*more)) : NULL;
	if (!more) {
		close(fd);
		return;
	}
	/* A node that dies says nothing. */
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	l->list = more;
	l->list[l->n++] = (struct link){ .fd = fd };
}

static void drop(struct link *one)
{
	close(one->fd);
	one->fd = -1;
}

static bool ends_well(const struct link *one)
{
	size_t n = strlen(END);

	return one->bytes > n && !memcmp(one->text + one->bytes - n, END, n) &&
	       one->text[one->bytes - n - 1] == '\n';
}

/* "SECRET RANKS" in the first line; who does not know the secret is none of ours. */
static void greet(const struct links *l, struct link *one)
{
	char *line_end = one->text ? memchr(one->text, '\n', one->bytes) : NULL;
	size_t n = strlen(l->secret);

	if (one->greeted || (!line_end && one->bytes < 80))
		return;
	if (!line_end || (size_t)(line_end - one->text) < n + 2 ||
	    memcmp(one->text, l->secret, n)) {
		drop(one);
		return;
	}
	one->ranks = atoi(one->text + n + 1);
	one->greeted = true;
	one->bytes -= (size_t)(line_end + 1 - one->text);
	memmove(one->text, line_end + 1, one->bytes + 1);
}

static void take_text(const struct links *l, struct link *one)
{
	char *more = one->bytes < TEXT_MAX ? realloc(one->text, one->bytes + 65537) : NULL;
	ssize_t got;

	if (!more) {
		drop(one);
		return;
	}
	one->text = more;
	got = read(one->fd, one->text + one->bytes, 65536);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	one->bytes += got > 0 ? (size_t)got : 0;
	one->text[one->bytes] = '\0';
	greet(l, one);
	if (got <= 0 && one->fd >= 0) {
		one->complete = one->greeted && ends_well(one);
		drop(one);
	}
}

void links_listen(struct links *l, int timeout_ms)
{
	int count = l->n;
	struct pollfd *fds = calloc((size_t)count + 1, sizeof(*fds));

	if (!fds)
		return;
	fds[0] = (struct pollfd){ .fd = l->fd, .events = POLLIN };
	for (int i = 0; i < count; i++)
		fds[i + 1] = (struct pollfd){ .fd = l->list[i].fd, .events = POLLIN };
	if (poll(fds, (nfds_t)count + 1, timeout_ms) > 0) {
		for (int i = 0; i < count; i++)
			if (fds[i + 1].revents)
				take_text(l, &l->list[i]);
		if (fds[0].revents)
			take_new(l);
	}
	free(fds);
}

int links_count(const struct links *l)
{
	return l->n;
}

const struct link *links_get(const struct links *l, int i)
{
	return &l->list[i];
}

void links_close(struct links *l)
{
	if (!l)
		return;
	unlink(l->path);
	close(l->fd);
	for (int i = 0; i < l->n; i++) {
		if (l->list[i].fd >= 0)
			close(l->list[i].fd);
		free(l->list[i].text);
	}
	free(l->list);
	free(l);
}

/* ---- the other nodes ---- */

static socklen_t address_of(const char *text, int port, struct sockaddr_storage *out)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)out;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)out;

	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)port);
		return sizeof(*v4);
	}
	if (inet_pton(AF_INET6, text, &v6->sin6_addr) != 1)
		return 0;
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons((uint16_t)port);
	return sizeof(*v6);
}

static int connect_to(const char *text, int port)
{
	struct sockaddr_storage to;
	socklen_t bytes = address_of(text, port, &to), n = sizeof(int);
	struct pollfd one = { .events = POLLOUT };
	int error = 0;

	if (!bytes)
		return -EINVAL;
	one.fd = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (one.fd < 0)
		return -errno;
	if (connect(one.fd, (struct sockaddr *)&to, bytes) && errno != EINPROGRESS)
		error = errno;
	else if (poll(&one, 1, CONNECT_MS) != 1)
		error = ETIMEDOUT;
	else
		getsockopt(one.fd, SOL_SOCKET, SO_ERROR, &error, &n);
	if (error) {
		close(one.fd);
		return -error;
	}
	fcntl(one.fd, F_SETFL, 0);
	setsockopt(one.fd, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){ .tv_sec = SEND_S },
		   sizeof(struct timeval));
	return one.fd;
}

static int send_all(int fd, const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t n = send(fd, text, bytes, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		text += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static FILE *open_published(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid()) {
		close(fd);
		return NULL;
	}
	return fdopen(fd, "r");
}

static int try_once(const char *path, int ranks)
{
	char secret[SECRET_TEXT], address[INET6_ADDRSTRLEN], hello[80];
	FILE *f = open_published(path);
	int port, fd = -ENOENT;

	if (!f)
		return -ENOENT;
	if (fscanf(f, "%32s %d", secret, &port) == 2)
		while (fd < 0 && fscanf(f, "%45s", address) == 1)
			fd = connect_to(address, port);
	fclose(f);
	if (fd >= 0) {
		snprintf(hello, sizeof(hello), "%s %d\n", secret, ranks);
		if (send_all(fd, hello, strlen(hello))) {
			close(fd);
			fd = -EPIPE;
		}
	}
	return fd;
}

int link_connect(const char *path, int ranks, int patience_ms)
{
	int64_t until = now_ms() + patience_ms;
	int fd = try_once(path, ranks);

	while (fd < 0 && now_ms() < until) {
		usleep(20000);
		fd = try_once(path, ranks);
	}
	return fd;
}

int link_send(int fd, const char *text, size_t bytes)
{
	int rc = send_all(fd, text, bytes);

	close(fd);
	return rc;
}
