/* SPDX-License-Identifier: MIT */
/* XML files of topologies, as HWLOC_XMLFILE names them. hwloc reads them, and damaged XML crashes
 * hwloc 2.9 itself, so the input is a list of objects, from which well-formed XML with all sets of
 * each object is written. What is loaded has whole tables.
 *
 * First there are attributes of the machine. Then each entry is a byte: 0 ends an object, 1 to 7
 * begin one of a type, with a byte for its number and one for its CPUs, and others are a kind of
 * CPUs. */
#include "fuzz.h"
#include "fuzz_file.h"
#include "topology_check.h"

static const char *const types[] = {
	NULL, "Package", "Core", "PU", "L2Cache", "L3Cache", "Group", "Die",
};
static const char *const names[] = {
	"CPUVendor", "CPUFamilyNumber", "CPUModelNumber", "CPUStepping", "CPUModel",
};
#define TYPES (sizeof(types) / sizeof(types[0]))
#define NAMES (sizeof(names) / sizeof(names[0]))
#define DEEPEST 8
#define KINDS 8

struct input { const uint8_t *data; size_t size; };

static unsigned byte(struct input *in)
{
	return fuzz_byte(&in->data, &in->size);
}

static void put_sets(FILE *f, unsigned cpus, unsigned index)
{
	fprintf(f, " cpuset=\"0x%x\" complete_cpuset=\"0x%x\" nodeset=\"0x1\" "
		"complete_nodeset=\"0x1\" gp_index=\"%u\"", cpus, cpus, index);
}

/* Up to a NUL; what XML cannot have is a mark. */
static void put_info(FILE *f, const char *name, struct input *in)
{
	unsigned c;

	fprintf(f, "<info name=\"%s\" value=\"", name);
	while ((c = byte(in))) {
		if (c >= ' ' && c < 0x7f && !strchr("<>&\"'", (int)c))
			fputc((int)c, f);
		else
			fputs("&lt;", f);
	}
	fprintf(f, "\"/>\n");
}

/* hwloc takes a PU's number and its set for the same. */
static void put_object(FILE *f, const char *type, struct input *in, unsigned index)
{
	unsigned number = byte(in), cpus = byte(in), own = 1u << number % 8;

	fprintf(f, "<object type=\"%s\" os_index=\"%u\"", type, number);
	put_sets(f, strcmp(type, "PU") ? cpus | own : own, index);
	if (strstr(type, "Cache"))
		fprintf(f, " cache_size=\"1\" depth=\"%c\" cache_linesize=\"64\" "
			"cache_associativity=\"1\" cache_type=\"0\"", type[1]);
	fprintf(f, ">\n");
}

static void put_machine(FILE *f, struct input *in)
{
	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
		"<object type=\"Machine\" os_index=\"0\" allowed_cpuset=\"0xff\" "
		"allowed_nodeset=\"0x1\"");
	put_sets(f, 0xff, 1);
	fprintf(f, ">\n");
	for (unsigned attributes = byte(in) % 8; attributes--;)
		put_info(f, names[byte(in) % NAMES], in);
	fprintf(f, "<object type=\"NUMANode\" os_index=\"0\"");
	put_sets(f, 0xff, 2);
	fprintf(f, "/>\n");
}

/* Returns how many entries are kinds; those come behind the objects. */
static int put_objects(FILE *f, struct input *in, struct input kinds[KINDS])
{
	unsigned index = 2;
	int depth = 0, n = 0;

	while (in->size) {
		unsigned what = byte(in) % 16;

		if (what >= TYPES && n < KINDS) {
			kinds[n++] = *in;
			(void)byte(in);
			while (byte(in))
				;
		} else if (what && what < TYPES && depth < DEEPEST) {
			put_object(f, types[what], in, ++index);
			depth++;
		} else if (depth) {
			fprintf(f, "</object>\n");
			depth--;
		}
	}
	for (; depth >= 0; depth--)
		fprintf(f, "</object>\n");
	return n;
}

static void write_xml(FILE *f, struct input in)
{
	struct input kinds[KINDS];
	int n;

	put_machine(f, &in);
	n = put_objects(f, &in, kinds);
	for (int i = 0; i < n; i++) {
		fprintf(f, "<cpukind cpuset=\"0x%x\" forced_efficiency=\"1\">", byte(&kinds[i]));
		put_info(f, "CoreType", &kinds[i]);
		fprintf(f, "</cpukind>\n");
	}
	fprintf(f, "</topology>\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	struct ipmu_topology *t = NULL;
	char why[IPMU_WHY_MAX] = "", *xml = NULL;
	size_t bytes;
	bool first;
	FILE *f = open_memstream(&xml, &bytes);

	REQUIRE(f);
	write_xml(f, (struct input){ data, size });
	REQUIRE(fclose(f) == 0);
	first = !file.path[0];
	fuzz_file_write(&file, xml, bytes);
	free(xml);
	if (first)
		REQUIRE(setenv("HWLOC_LIBXML", "0", 0) == 0 &&
			setenv("HWLOC_XMLFILE", file.path, 1) == 0);
	if (ipmu_topology_load(&t, why)) {
		REQUIRE(why[0] && !t);
		return 0;
	}
	topology_check(t);
	ipmu_topology_free(t);
	return 0;
}
