# SPDX-License-Identifier: MIT
# merged.py CASE...: first.json with changes, as m.CASE.json.
import copy, json, sys
base = json.load(open("first.json"))
base["job"]["first"] = False
def event(j, i=0): return j["groups"][0]["events"][i]
def big(j):
    event(j)["parts"] = [dict(package=i, value=2**62) for i in range(2)]
def half(j):
    event(j)["parts"] = [dict(package=0, value=2**62)]
def job(**members): return lambda j: j["job"].update(members)
def part(**members): return lambda j: event(j)["parts"][0].update(members)
def parts(j):
    for e in j["groups"][0]["events"][:1]:
        e["parts"] = [dict(package=i // 10, box=i % 10, value=i) for i in range(100000)]
def nodes(j):
    j["nodes"] = [dict(node=i, host="n", ranks=1) for i in range(20000)]
    j["job"].update(size=20000, ended=20000)
    j["ranks"] = 20000
    for e in j["groups"][0]["events"]:
        e["parts"] = [dict(node=i // 2, package=i % 2, value=1) for i in range(40000)]
        e["parts"] += [dict(node=i, value=2) for i in range(20000)]
def metrics(j):
    m = j["groups"][0]["metrics"]
    j["groups"][0]["metrics"] = [dict(m[i % len(m)], name="m%d" % i) for i in range(8000)]
cases = dict(
    same=lambda j: None, big=big, half=half, parts=parts, nodes=nodes, metrics=metrics,
    node=part(node=2**31 - 1), node_behind=part(node=1), package=part(package=-2**31),
    box=part(box=10**9), cpu=part(cpu=-7),
    twice=lambda j: event(j)["parts"].append(dict(event(j)["parts"][0])),
    order=lambda j: event(j).update(parts=[dict(package=1, value=1), dict(package=0, value=1)]),
    ranks=lambda j: (j["job"].update(size=2**31 - 1), j.update(ranks=2**31 - 1)),
    node_ranks=lambda j: j["nodes"][0].update(ranks=-1),
    ended=job(ended=2), outside=job(outside=2**31 - 1),
    status_low=lambda j: j.update(status=-2**31), status_high=lambda j: j.update(status=256))
for name in sys.argv[1:]:
    j = copy.deepcopy(base)
    cases[name](j)
    json.dump(j, open("m.%s.json" % name, "w"))
