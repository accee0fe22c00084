# SPDX-License-Identifier: MIT
# schema.py DOCS WHAT=REPORT...: compares reports, and wrong ones, with the schema.
import copy, json, jsonschema, sys
docs = sys.argv[1]
schema = json.load(open(docs + "/report.schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
valid = jsonschema.Draft202012Validator(schema).is_valid
reports = {what: json.load(open(name)) for what, name in (a.split("=") for a in sys.argv[2:])}
reports["a processor"] = dict(reports["a group"], virtual=False, model_version=None)
for what, report in reports.items():
    if not valid(report):
        print(what, "does not match")
def wrong(what, change):
    report = copy.deepcopy(reports["the first node of two"])
    change(report)
    if valid(report):
        print(what + ": the schema takes it")
def event(r):
    return r["groups"][0]["events"][0]
wrong("a member too many", lambda r: r.update(more=1))
wrong("a member too few", lambda r: r.pop("groups"))
wrong("a part too many", lambda r: event(r)["parts"][0].update(core=1))
wrong("a count that is text", lambda r: event(r).update(value="1"))
wrong("another schema", lambda r: r.update(schema=2))
wrong("a job without nodes", lambda r: r.pop("nodes"))
wrong("no such clock", lambda r: r["job"].update(clock="sun"))
# Members of the report, of a group, an event, a metric, a part and a job stand in the page.
page = open(docs + "/report.md").read()
objects = [schema, schema["properties"]["job"]]
objects += [schema["$defs"][n] for n in ("group", "event", "metric", "part", "timeline", "region", "region_rank")]
for member in sorted({m for o in objects for m in o["properties"]} - {"run", "events", "metrics"}):
    if f"`{member}`" not in page:
        print("docs/report.md does not explain", member)
