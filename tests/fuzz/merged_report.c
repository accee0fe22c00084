/* SPDX-License-Identifier: MIT */
/* Reports of nodes that `ipmu-run --merge` and the first node of a job join, and that --show reads.
 * What is refused has a sentence. What is accepted is written in all forms, alone and joined with
 * itself, and its JSON is read again. The first byte has the number of joined nodes, 1 or 2. */
#include "fuzz.h"
#include "../../ipmu_run/job/node_report.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

typedef int writer(FILE *f, const struct report *r);

static char *written(writer *write, const struct report *r)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	REQUIRE(f && write(f, r) == 0 && fclose(f) == 0);
	return text;
}

static void write_all(const struct report *r)
{
	char *json = written(report_json, r), why[SAVED_WHY_MAX];
	struct saved again;

	free(written(report_text, r));
	free(written(report_csv, r));
	REQUIRE(saved_parse("again", json, strlen(json), &again, why) == 0);
	saved_free(&again);
	free(json);
}

static void join(const struct saved *s, const struct from_json *frame, int n)
{
	struct report r = frame->report;
	struct from_json *reports[2];
	struct joined all;
	int rc;

	for (int i = 0; i < n; i++)
		REQUIRE(node_report_read(s, &frame->m, &reports[i]) == 0);
	rc = node_reports_join(reports, n, &all);
	REQUIRE(rc == 0 || (rc == -EOVERFLOW && n > 1));
	r.m = &all.m;
	r.job = &all.job;
	REQUIRE(all.job.ranks == n * reports[0]->job.ranks || rc);
	if (!rc)
		write_all(&r);
	joined_free(&all);
	for (int i = 0; i < n; i++)
		node_report_free(reports[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int n = 1 + (fuzz_byte(&data, &size) & 1);
	char why[SAVED_WHY_MAX] = "", *text = malloc(size + 1);
	struct from_json frame;
	struct saved s;
	int rc;

	REQUIRE(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	rc = saved_parse("here", text, size, &s, why);
	free(text);
	if (rc)
		return 0;
	rc = from_json(&s, &frame, why);
	REQUIRE(!rc || (rc == -EINVAL && !strncmp(why, "here: ", 6)));
	if (!rc) {
		write_all(&frame.report);
		if (node_report_is(&s, NULL))
			join(&s, &frame, n);
		from_json_free(&frame);
	}
	saved_free(&s);
	return 0;
}
