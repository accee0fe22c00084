# SPDX-License-Identifier: MIT
# where.py TIMES [writes]: shares of the profile in P.json and P.csv; TIMES processes ran two() and writes().
import csv, json, sys
r = json.load(open("P.json"))
p = r["profile"]
names = [e["name"].split(":::")[-1] for e in p["events"]]
times = int(sys.argv[1])	# processes that run two() and writes()
bad = 0
def is_(what, got, least, most):
    global bad
    if not least <= got <= most:
        print("%s: %d, not from %d to %d" % (what, got, least, most))
        bad = 1
count = {f["function"]: dict(zip(names, f["counts"])) for f in p["functions"] if (f["file"] or "").endswith("shares.c")}
misses = "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I"
for function, lines in ("one", 2 * 262144), ("two", times * 524288):
    is_(function + " misses", count[function][misses], lines, lines + 64)
if "writes" in sys.argv[2:]:
    is_("writes: misses", count["writes"][misses], times * 262144, times * 262144 + 64)
if times == 1:	# a loop is of so many instructions, and few stand around it
    loop, rest = divmod(count["one"]["instructions"], 2 * 262144)
    is_("one: instructions of the loop", loop, 3, 5)
    is_("one: other instructions", rest, 2, 20)
line = {l["line"]: dict(zip(names, l["counts"])) for l in p["lines"] if (l["file"] or "").endswith("shares.c")}
is_("line 15", line[15][misses], times * 524288, times * 524288 + 64)
text = [l["source"] for l in p["lines"] if (l["file"] or "").endswith("shares.c") and l["line"] == 15]
if text != ["for (long i = 0; i < 2 * LINES; i++) (void)a[64 * i];"]:
    print("the source of line 15:", text)
    bad = 1
for e in p["events"]:
    if e["counted"] != e["profiled"] and e["profiled"] is not None and e["counted"] is not None:
        print("sum:", e)
        bad = 1
if [e["name"] for e in p["events"] if e["profiled"] is None] != ["intel_uncore:::skl_unc_clk.UNC_CLOCK:SOCKET"]:
    print("without a profile:", [e["name"] for e in p["events"] if e["profiled"] is None])
    bad = 1
sums = {}
rows = list(csv.DictReader(open("P.csv")))
for row in rows:
    if row["kind"] == "function":
        sums[row["name"]] = sums.get(row["name"], 0) + int(row["value"])
for row in rows:
    if row["kind"] == "event" and row["part"] == "all" and row["name"] in sums:
        is_("CSV: " + row["name"], sums[row["name"]], int(row["value"]), int(row["value"]))
sys.exit(bad)
