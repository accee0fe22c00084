# SPDX-License-Identifier: MIT
"""easyconfig.py TREE VERSION HELP: evaluates the easyconfigs, which are Python, and compares that of this
project with Spack's recipe and with configure, whose --help is in the file HELP."""
import os
import re
import sys

tree, version, help_file = sys.argv[1:]
failed = []


def check(what, holds):
    if not holds:
        failed.append(what)
        print("FAILED:", what)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def file_name(source):
    return source if isinstance(source, str) else source["filename"]


configs = {}
folder = os.path.join(tree, "easybuild")
for name in sorted(os.listdir(folder)):
    config = {}
    exec(compile(read(folder, name), name, "exec"), {"__builtins__": {}}, config)
    toolchain = "{name}-{version}".format(**config["toolchain"])
    check(f"{name} is the name of its content", name == f"{config['name']}-{config['version']}-{toolchain}.eb")
    check(f"{name}: mandatory parameters", {"easyblock", "homepage", "description", "moduleclass"} <= set(config))
    check(f"{name}: a checksum, or none, for each source", len(config["checksums"]) == len(config["sources"]))
    configs[config["name"]] = config
ours = configs["ipmu"]
check("the project's version", ours["version"] == version)

# Spack's recipe names the same archives and the same dependencies.
recipe = read(tree, "spack", "packages", "ipmu", "package.py")
spack = dict(re.findall(r'url="([^"]*)",\s*sha256="([0-9a-f]{64})"', recipe))
here = {f"{source['source_urls'][0]}/{source['filename']}": checksum
        for source, checksum in zip(ours["sources"], ours["checksums"]) if not isinstance(source, str)}
check(f"archives: {sorted(here)}, Spack's: {sorted(spack)}", here == spack)
check("the archive of the release comes first", ours["sources"][0] % ours == f"ipmu-{version}.tar.gz")
check("it is where the build starts", ours["start_dir"] % ours == f"ipmu-{version}")
wanted = set(re.findall(r'depends_on\("([a-z-]*)', recipe)) - {"c", "gmake", "bash", "mpi"}
listed = {entry[0].lower() for entry in ours["dependencies"] + ours["builddependencies"]}
check(f"dependencies: {sorted(listed)}, Spack's: {sorted(wanted)}",
      {name.replace("pkgconf", "pkgconfig") for name in listed} == wanted)
check("MPI is the toolchain's", ours["toolchain"]["name"] == "gompi")
check("Zydis is the one that is here", ("Zydis", configs["Zydis"]["version"]) in ours["dependencies"])

options = dict(word.partition("=")[::2] for word in ours["configopts"].split())
known = set(re.findall(r"--with-[a-z0-9-]+", read(help_file)))
check(f"options {set(options) - known} are configure's", set(options) <= known)
unpacked = {"%(builddir)s/" + re.sub(r"\.tar\..*", "", file_name(source)) for source in ours["sources"][1:]}
check("sources are where the archives unpack to",
      {value for option, value in options.items() if option.endswith("-src")} == unpacked)
print(f"{len(configs)} easyconfigs, {len(failed)} failed")
sys.exit(bool(failed))
