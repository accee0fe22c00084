# SPDX-License-Identifier: MIT
"""A scratch copy of the source tree: building it, changing it, running its tests."""

import glob
import os
import re
import resource
import shlex
import shutil
import subprocess
import time

BUILT_BEFORE = ("third_party/papi.built", "third_party/libpfm4.built")
MEMORY = 8 << 30	# of one process, for mutants that never stop allocating
UNDO = "mutation-undo"	# what a run that was killed has left changed, and how it was
SLOWEST = 300	# seconds for a test that was not changed
# A changed program may leave anything behind: a process, a segment, a state directory.
ALONE = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
         'mount -t tmpfs none /dev/shm && mount -t tmpfs none /run && exec "$@"', "sh"]


class Failure(Exception):
    """The scratch tree is not what it has to be."""


class Tree:
    def __init__(self, source, path, say):
        self.source, self.path, self.say = source, path, say
        self.alone = ALONE if os.geteuid() == 0 and self.runs(ALONE + ["true"]) else []

    @staticmethod
    def runs(command):
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL, check=False).returncode == 0

    def run(self, command, limit=1800):
        """Status and output of a command in the tree; status None if it did not end."""
        def limits():
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
        try:
            done = subprocess.run(command, cwd=self.path, stdin=subprocess.DEVNULL, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=limit, errors="replace", env=environment,
                                  preexec_fn=limits)
        except subprocess.TimeoutExpired as late:
            return None, str(late.output)
        return done.returncode, done.stdout

    def make(self, *words, alone=False, limit=1800):
        command = ["make", "-s", "-f", "tools/mutation/mutation.mk", "WERROR="]
        for name in BUILT_BEFORE:
            command += ["-o", name]
        return self.run((self.alone if alone else []) + command + list(words), limit)

    # ---- the copy

    def prepare(self):
        """A copy of what is in the source tree now, configured as that one, and built."""
        if os.path.exists(os.path.join(self.path, "mutation-ready")):
            self.restore()
            return
        self.say(f"{self.path}: a copy of {self.source}, and building it")
        shutil.rmtree(self.path, ignore_errors=True)
        os.makedirs(self.path)
        names = subprocess.run(["git", "-C", self.source, "ls-files", "-z", "--cached", "--others",
                                "--exclude-standard"], stdout=subprocess.PIPE, check=True)
        for name in filter(None, names.stdout.decode().split("\0")):
            target = os.path.join(self.path, name)
            if os.path.lexists(os.path.join(self.source, name)):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy2(os.path.join(self.source, name), target, follow_symlinks=False)
        self.need(["./configure"] + self.options())
        self.need(["make", "WERROR=", "all"])	# not silent: its logs are read
        status, text = self.make("mutation-baseline")
        if status != 0:
            raise Failure(f"the copy in {self.path} does not build:\n{text[-3000:]}")
        open(os.path.join(self.path, "mutation-ready"), "w", encoding="utf8").close()

    def options(self):
        status = os.path.join(self.source, "config.status")
        if not os.path.exists(status):
            return []
        text = subprocess.run([status, "--config"], stdout=subprocess.PIPE, text=True, check=True)
        return [word for word in shlex.split(text.stdout) if word != "--enable-werror"]

    def need(self, command):
        status, text = self.run(command)
        if status != 0:
            raise Failure(f"{shlex.join(command)} failed in {self.path}:\n{text[-3000:]}")

    # ---- how a file is compiled

    def compile_command(self, source):
        """The words that compile a source file, without -c, -o and the names of files, and where."""
        if source.startswith("pfm_events/"):
            line = self.logged("libpfm4.log", " -c " + os.path.basename(source))
            return self.words(line), "third_party/libpfm4/lib"
        if source.startswith(("component/papi_glue/", "component/intel_")):
            line = self.logged("papi.log", "-soname -Wl,libpapi")
            here = os.path.abspath(self.path)
            return (self.words(line) + [f"-I{here}/component/papi_glue",
                                        f"-I{here}/third_party/papi/src"], "third_party/papi/src")
        target = "obj/" + source[:-2] + ".o"
        if source.startswith("mpi_aggregation/"):
            beside = f"obj/openmpi/{source[:-2]}.o"
            if os.path.exists(os.path.join(self.path, beside)):
                target = beside
        _, text = self.make("-n", "V=1", "-W", source, target)
        lines = [line for line in text.splitlines() if line.endswith(" " + source)]
        if not lines:
            raise Failure(f"make does not compile {source}")
        return self.words(lines[-1]), "."

    def logged(self, log, part):
        with open(os.path.join(self.path, "third_party", log), encoding="utf8") as file:
            lines = [line for line in file if part in line]
        if not lines:
            raise Failure(f"third_party/{log} has no line with {part}")
        return lines[-1]

    @staticmethod
    def words(line):
        words, drop = [], False
        for word in shlex.split(line):
            if drop:
                drop = False
            elif word == "-o":
                drop = True
            elif word not in ("-c", "-MMD", "-MP", "-shared", "-Werror", "-Bdynamic") and not (
                    word.startswith(("-Wl,", "-l", "-L")) or word.endswith((".c", ".a"))):
                words.append(word)
        return words

    def machine_code(self, source, command, where):
        """What the compiler makes of a source file, without debugging information; None: nothing."""
        out = os.path.join(self.path, "mutation.o")
        status, _ = self.run(["env", "-C", where] + command +
                             ["-w", "-g0", "-c", os.path.join(os.path.abspath(self.path), source),
                              "-o", os.path.abspath(out)])
        if status != 0:
            return None
        with open(out, "rb") as file:
            return file.read()

    # ---- changes

    def read(self, name):
        with open(os.path.join(self.path, name), "rb") as file:
            return file.read()

    def write(self, name, text):
        with open(os.path.join(self.path, name), "wb") as file:
            file.write(text)

    def change(self, name, text):
        """Another text for a file, until restore."""
        with open(os.path.join(self.path, UNDO), "wb") as file:
            file.write(name.encode() + b"\n" + self.read(name))
        self.write(name, text)

    def restore(self):
        undo = os.path.join(self.path, UNDO)
        if os.path.exists(undo):
            name, _, text = self.read(UNDO).partition(b"\n")
            self.write(name.decode(), text)
            os.unlink(undo)

    # ---- tests

    def tests(self, pattern):
        """Names of the tests that a pattern stands for: programs, then scripts."""
        names = [os.path.basename(path) for path in glob.glob(os.path.join(self.path, "tests/*/*"))
                 if os.path.basename(os.path.dirname(path)) != "support"]
        expression = re.compile(re.escape(pattern).replace(r"\*", ".*"))
        found = []
        for ending in (".c", ".sh"):
            found += sorted(name for name in names if name.endswith(ending) and
                            expression.fullmatch(name[:-len(ending)]))
        return found

    def test(self, name, limit=SLOWEST):
        """How a test ends (passed, failed, late, unbuilt, skipped), and what it printed."""
        base, ending = os.path.splitext(name)
        script = ending == ".sh"
        goal = "mutation-script" if script else "mutation-program"
        status, text = self.make("-j2", goal, f"TEST={base}")
        if status != 0:
            return "unbuilt", text
        program = f"obj/tests/{base}"
        if script:
            program = "tests/" + glob.glob(f"*/{name}", root_dir=os.path.join(self.path, "tests"))[0]
        status, text = self.make("mutation-run", f"PROGRAM={program}", f"LIMIT={limit}", alone=True,
                                 limit=limit + 60)
        if status == 0:
            return "passed", text
        if status is None or "no end after" in text:
            return "late", text
        return ("skipped" if "0 passed, 0 failed" in text else "failed"), text

    def timed(self, name):
        began = time.monotonic()
        verdict, text = self.test(name)
        return verdict, time.monotonic() - began, text
