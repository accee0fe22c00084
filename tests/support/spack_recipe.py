# SPDX-License-Identifier: MIT
"""spack_recipe.py REPOSITORY SCRATCH VERSION: evaluate the recipes as Spack would, as far as directives go.

SCRATCH has what tests/build/build_spack.sh knows of the project: help (configure --help), table (what
build-aux/deps lists) and names (Debian's and Spack's names of what both have)."""
import itertools
import os
import re
import sys
import types

repository, scratch, project = sys.argv[1:]
calls = []
failed = []


def check(what, holds):
    if not holds:
        failed.append(what)
        print("FAILED:", what)


def directive(name):
    def record(*args, **keywords):
        calls.append((name, args, keywords))
    return record


class Package:
    """What recipes take from Spack's classes: what was chosen, and where things are."""

    def __init__(self, chosen, provider):
        self.stage = types.SimpleNamespace(source_path="/stage")
        self.prefix = types.SimpleNamespace(lib="/prefix/lib")
        self.spec = self
        self.chosen, self.provider = chosen, provider

    def satisfies(self, text):
        if text.startswith("+"):
            check(f"variant {text} exists", text[1:] in self.chosen)
            return self.chosen[text[1:]]
        return text.split()[-1].lstrip("^") == self.provider

    def define(self, name, value):
        return f"-D{name}={value}"


stand_in = types.ModuleType("spack.package")
for word in ("license", "version", "variant", "resource", "depends_on", "conflicts"):
    setattr(stand_in, word, directive(word))
stand_in.AutotoolsPackage = stand_in.CMakePackage = Package
stand_in.join_path = os.path.join
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = stand_in


def evaluate(name):
    calls.clear()
    path = os.path.join(repository, "packages", name, "package.py")
    scope = {"__file__": path, "__name__": name}
    with open(path) as file:
        exec(compile(file.read(), path, "exec"), scope)
    return scope[name.capitalize()], list(calls)


def of(directives, name):
    return [(args, keywords) for word, args, keywords in directives if word == name]


def read(name):
    with open(os.path.join(scratch, name)) as file:
        return file.read()


recipe, directives = evaluate("ipmu")
check("the release's version, and the tag that it has", [keywords for args, keywords in of(directives, "version")
      if args == (project,)] == [{"tag": "v" + project}])
variants = {args[0]: keywords for args, keywords in of(directives, "variant")}
check("variants mpi and vpmu", set(variants) == {"mpi", "vpmu"})
options = set(re.findall(r"--(?:with|enable|disable)-[a-z0-9-]+", read("help")))
options |= {option.replace("--with-", "--without-") for option in options}
sources = {f"/stage/{keywords['placement']}": keywords.get("when", "") for _, keywords in
           of(directives, "resource")}
for resource, keywords in of(directives, "resource"):
    check(f"{keywords['name']}: a whole SHA-256", re.fullmatch("[0-9a-f]{64}", keywords["sha256"]))

tried = 0
for values in itertools.product((False, True), repeat=len(variants)):
    chosen = dict(zip(variants, values))
    for provider in ("openmpi", "mpich") if chosen["mpi"] else ("",):
        arguments = recipe(chosen, provider).configure_args()
        given = dict(argument.partition("=")[::2] for argument in arguments)
        check(f"options {set(given) - options} are configure's", set(given) <= options)
        check(f"{chosen}: sources are where the resources lie",
              {given[option] for option in given if option.endswith("-src")} ==
              {path for path, when in sources.items() if not when or chosen[when.lstrip("+")]})
        check(f"{chosen}: QEMU", ("--with-qemu-src" in given, "--without-qemu" in given) ==
              (chosen["vpmu"], not chosen["vpmu"]))
        check(f"MPI {provider}: {arguments}", given.get("--with-mpi", "") == provider and
              ("--disable-mpi" in given) != chosen["mpi"])
        tried += 1

depends = {re.split("[@+~]", args[0])[0]: keywords for args, keywords in of(directives, "depends_on")}
known = {line.split()[0]: line.split()[1:] for line in read("names").splitlines()}
listed = [line.split(None, 4) for line in read("table").splitlines()]
check("build-aux/deps lists packages", len(listed) > 15)
for package, group, need, _, purpose in listed:
    if package in known or group not in ("base", "openmpi", "emulator"):
        continue
    rest = "test|fuzz|drawing|plots|compiler|opinion|manual|runs MPI|unpacks"
    check(f"{package} is for tests alone, or the recipe's: {purpose}",
          need == "want" and re.search(rest, purpose))
for package, (name, *variant) in known.items():
    check(f"{package} is listed", any(package == row[0] for row in listed))
    check(f"dependency {name} of {package}", name == "-" or name in depends)
    for word in variant:
        check(f"{name} is of +{word}", depends.get(name, {}).get("when") == "+" + word)
check("no other dependency", set(depends) - {row[0] for row in known.values()} == {"bash"})

zydis, directives = evaluate("zydis")
check("zydis is in version 4", any(args[0].startswith("4.") for args, _ in of(directives, "version")))
check("zydis: options", all(word.startswith("-D") for word in zydis({}, "").cmake_args()))
print(f"{tried} choices of variants, {len(depends)} dependencies, {len(failed)} failed")
sys.exit(bool(failed))
