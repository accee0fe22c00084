# SPDX-License-Identifier: MIT
# where_change.py CASE: one.json with a change of its profile, as changed.json.
import copy, json, sys
base = json.load(open("one.json"))
def f(p): return p["functions"][0]
def events(p): return p["events"]
cases = dict(
    kind=lambda p: [],
    list=lambda p: f(p)["counts"].pop(),
    huge=lambda p: f(p)["counts"].__setitem__(0, 1e300),
    text=lambda p: f(p)["counts"].__setitem__(0, "7"),
    moved=lambda p: f(p)["counts"].__setitem__(0, f(p)["counts"][0] + 1),
    line=lambda p: f(p).update(line=-1),
    processes=lambda p: p.update(processes=-1),
    event=lambda p: events(p)[0].update(name="none"),
    twice=lambda p: events(p).__setitem__(0, dict(events(p)[1])),
    fewer=lambda p: events(p).pop(),
    storage=lambda p: p["data"][0].update(storage="disk"),
    blocks=lambda p: p["data"][0].update(blocks=-1),
    address=lambda p: p.update(contended=[dict(address="4100", modified=1, unmodified=0, sides=[])]),
    lost=lambda p: p.update(lost=[dict(what="calls", times=-1)]),
    odd=lambda p: (f(p).update(function="a\x1b[2Jb\u009b<i>,\n\"", file="=1\x07"),
                   p.update(lost=[dict(what="\x1b[2J", times=1)])))
j = copy.deepcopy(base)
if cases[sys.argv[1]](j["profile"]) == []: j["profile"] = []
json.dump(j, open("changed.json", "w"))
