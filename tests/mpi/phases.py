# SPDX-License-Identifier: MIT
# phases.py PREFIX LINES RANKS NODES: the lines of one array, of all ranks and sweeps
import csv, json, re, sys
prefix, lines, ranks, nodes = sys.argv[1], *map(int, sys.argv[2:])
rows = list(csv.DictReader(open(prefix + ".csv")))
regions = {r["name"]: r for r in json.load(open(prefix + ".json"))["regions"]}
text, page = open("out").read(), open(prefix + ".html").read()
bad = 0

def check(what, good, *seen):
    global bad
    if not good:
        bad += 1
        print("FAILED:", what, *seen)

def value(region, name, part="all"):
    return float(next(r["value"] for r in rows if r["region"] == region and r["name"] == name and
                      r["part"] == part and r["kind"].endswith(" region")))

def in_json(region, list_name, name):
    return next(i["value"] for i in regions[region]["groups"][0][list_name] if i["name"].endswith(name))

def near(what, got, wanted):
    check(what, abs(got - wanted) <= 0.005 * wanted, got, "for", wanted)

reads, writes = "skl_unc_imc.DRAM_DATA_READS", "skl_unc_imc.DRAM_DATA_WRITES"
near("copy reads", value("copy", reads), 2 * lines)
near("copy writes", value("copy", writes), lines)
near("read reads", value("read", reads), lines)
check("read writes", value("read", writes) <= 0.005 * lines, value("read", writes))
for region in "copy", "read":
    moved = 64e-9 * (value(region, reads) + value(region, writes))
    rate = value(region, "memory bandwidth")
    check("GB/s are bytes over time", abs(rate - moved / value(region, "time")) < 1e-6 * rate, rate)
    check("calls", value(region, "calls") == ranks == regions[region]["calls"])
    check("JSON has the table's GB/s", abs(in_json(region, "metrics", "memory bandwidth") - rate) < 1e-6 * rate)
    check("JSON has the table's reads", in_json(region, "events", reads) == value(region, reads))
    check("JSON has all ranks", [r["rank"] for r in regions[region]["ranks"]] == list(range(ranks)) or
          {r["rank"] for r in regions[region]["ranks"]} == set(range(ranks)))
    shown = "%.6g" % rate
    section = page.split("<h2>Region %s</h2>" % region)[1].split("</section>")[0]
    on_page = re.sub("<[^>]*>", "", section)
    check("the page has them", "%.4g GB/s" % rate in on_page, shown)
    part = text.split("  region %s: " % region)[1].split("  region ")[0]
    check("the text has them", re.search(r"memory bandwidth +%s GB/s" % re.escape(shown), part), shown)
    check("the text has the calls", part.startswith("%d calls of %d ranks" % (ranks, ranks) if ranks > 1 else "1 call, "))
    check("nobody is called apart", "entered apart" not in part, part)
    if nodes > 1:
        for node in range(nodes):
            near("%s of node %d" % (region, node), value(region, reads, "node %d package 0" % node),
                 value(region, reads) / nodes)
sys.exit(bad > 0)
