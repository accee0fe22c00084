# SPDX-License-Identifier: MIT
"""callgrind.py OURS THEIRS: compare a profile of ipmu-run with one of Valgrind's callgrind, both in
Callgrind's format: instructions by function within 1 %, LL misses within 2 %. Functions with less than 1 %
of all are left out, and the C library's string functions, which exist for several processors. Misses are
of a function if it has 2 % of them and 200; fewer depend on where pages of the stack and libraries lie. The
dynamic linker has more to do under Valgrind, so its functions are left out, and tables of linkage, which
callgrind gives names of its own. Code without a symbol that a function jumps into belongs to that function
in callgrind, which knows functions by their calls; ipmu-run knows where it begins by the table of unwinding:
such a part counts with the function."""
import re
import sys


def read(path):
    names, costs, events, position, fn, ob, inclusive = {}, {}, [], 1, "", "", False

    def name(kind, text):
        m = re.match(r"\((\d+)\)(?: (.*))?$", text)
        if not m:
            return text
        if m.group(2) is not None:
            names[kind, m.group(1)] = m.group(2)
        return names[kind, m.group(1)]

    for line in open(path, errors="replace"):
        line = line.rstrip("\n")
        m = re.match(r"(events|positions|c?ob|c?fn|c?f[lie]|calls)[=:] ?(.*)", line)
        if m:
            key, text = m.groups()
            if key == "events":
                events = text.split()
            elif key == "positions":
                position = len(text.split())
            elif key == "calls":
                inclusive = True
            elif key == "ob":
                ob = name("ob", text)
            elif key == "fn":
                fn = name("fn", text)
            else:
                name(key.lstrip("c")[:2] if key.endswith(("ob", "fn")) else "fl", text)
        elif re.match(r"[0-9+*-]", line):
            if inclusive:
                inclusive = False
                continue
            cost = costs.setdefault((ob.split("/")[-1], function(fn)), [0] * len(events))
            for i, x in enumerate(line.split()[position:]):
                cost[i] += int(x)
    return {k: dict(zip(events, v)) for k, v in costs.items()}


def function(name):
    name = re.sub(r"'\d+$", "", name)
    return int(name, 16) if re.fullmatch(r"0x[0-9a-f]+", name) else re.sub(r"^(__GI_|_IO_)", "", name)


def is_apart(key):
    ob, name = key
    return ob.startswith("ld-linux") or (isinstance(name, str) and
           (re.match(r"_*(mem|str|wcs|wmem|rawmem)", name) or "[PLT]" in name))


def parts(key, get):
    return [get(c) for k, c in ours.items() if k[0] == key[0] and isinstance(k[1], int) and k not in theirs]


ours, theirs = read(sys.argv[1]), read(sys.argv[2])
bad = compared = 0
misses = [e for e in next(iter(ours.values())) if e.endswith("READ_I")][0]


def check(what, part, get_ours, get_theirs, percent, least):
    global bad, compared
    total = sum(map(get_theirs, theirs.values()))
    for key, cost in theirs.items():
        x, y = get_theirs(cost), get_ours(ours[key]) if key in ours else 0
        if x < part * total or x < least or is_apart(key):
            continue
        compared += 1
        if not any(abs(x - y - part) <= percent / 100 * x for part in [0] + parts(key, get_ours)):
            print("%s of %s: %d, callgrind %d" % (what, key, y, x))
            bad = 1


check("instructions", 0.01, lambda c: c["Ir"], lambda c: c["Ir"], 1, 0)
instructions = compared
check("misses", 0.02, lambda c: c[misses], lambda c: sum(c.get(e, 0) for e in ("ILmr", "DLmr", "DLmw")), 2, 200)
print("%d functions of instructions, %d of misses" % (instructions, compared - instructions))
sys.exit(bad or instructions < 3)
