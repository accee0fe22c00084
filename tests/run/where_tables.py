# SPDX-License-Identifier: MIT
# where_tables.py same|sum|live REPORT...: compares profiles in reports, the last with the sum of those before.
import csv, json, sys
def profile(name): return json.load(open(name + ".json"))["profile"]
def table(p, kind):	# functions and data by what they are
    rows = {}
    for r in p[kind]:
        key = tuple(r.get(k) for k in ("function", "storage", "name", "file", "line"))
        key += () if r["file"] else (r.get("object"),)
        old = rows.get(key, [0] * len(r["counts"]))
        rows[key] = [a + b for a, b in zip(old, r["counts"])]
    return rows
def added(a, b):
    return {k: [x + y for x, y in zip(a.get(k, [0] * 99), b.get(k, [0] * 99))
                if k in a or k in b][:len((a.get(k) or b.get(k)))] for k in set(a) | set(b)}
what, *files = sys.argv[1:]
p = [profile(f) for f in files]
if what == "same":
    assert p[0] == p[1]
    rows = [sorted(map(tuple, csv.reader(open(f + ".csv")))) for f in files]
    assert rows[0] == rows[1]
if what in ("sum", "live"):
    whole = p[-1]
    for e in whole["events"]:
        assert e["profiled"] is None or e["counted"] in (None, e["profiled"]), e
    i = [e["name"].split(".")[-1] for e in whole["events"]].index("UNC_CBO_CACHE_LOOKUP:READ_I")
    reads = [f["counts"][i] for f in whole["functions"] if f["function"] == "reads"]
    assert len(reads) == 1 and 300000 <= reads[0] <= 300192, reads
    lines = [l["counts"][i] for l in whole["lines"] if l["function"] == "reads" and l["line"] == 7]
    assert len(lines) == 1 and 300000 <= lines[0] <= 300192, lines
    assert whole["processes"] == 2, whole["processes"]
if what == "sum":
    for kind in "functions", "data":
        assert table(p[2], kind) == added(table(p[0], kind), table(p[1], kind)), kind
