# SPDX-License-Identifier: MIT
"""Spack's recipe; `spack repo add TREE/spack && spack install ipmu`, TREE being a git clone of this
project. PAPI and libpfm4 are built from source with our components and tables in them, so they are
resources and no dependencies."""
import os

from spack.package import *

try:
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:
    # Spack before version 1 has it in spack.package.
    pass


class Ipmu(AutotoolsPackage):
    """PAPI components for the documented Intel PMUs that PAPI does not reach, a command that counts
    any program on them, and a virtual machine whose PMU counts what a program executes."""

    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
    license("MIT")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("mpi", default=True, description="Node-correct sums over MPI jobs (libipmu_mpi)")
    variant("vpmu", default=True, description="QEMU, which runs programs on the virtual machine")

    resource(
        name="papi",
        url="https://icl.utk.edu/projects/papi/downloads/papi-7.1.0.tar.gz",
        sha256="5818afb6dba3ece57f51e65897db5062f8e3464e6ed294b654ebf34c3991bc4f",
        placement="papi",
    )
    resource(
        name="libpfm4",
        url="https://downloads.sourceforge.net/project/perfmon2/libpfm4/libpfm-4.13.0.tar.gz",
        sha256="d18b97764c755528c1051d376e33545d0eb60c6ebf85680436813fa5b04cc3d1",
        placement="libpfm4",
    )
    # The archive of a release has the meson that builds it.
    resource(
        name="qemu",
        url="https://download.qemu.org/qemu-10.0.0.tar.xz",
        sha256="22c075601fdcf8c7b2671a839ebdcef1d4f2973eb6735254fd2e1bd0f30b3896",
        placement="qemu",
        when="+vpmu",
    )

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("bash", type=("build", "run"))
    depends_on("hwloc@2:")
    depends_on("json-c")
    depends_on("muparser")
    depends_on("elfutils")
    depends_on("zydis@4:")
    depends_on("mpi", when="+mpi")
    depends_on("glib", when="+vpmu")
    depends_on("ninja", type="build", when="+vpmu")
    depends_on("python@3.8:", type="build", when="+vpmu")

    conflicts("platform=darwin", msg="These PMUs are used through Linux")
    conflicts("target=aarch64:", msg="These are PMUs of Intel processors")

    def configure_args(self):
        args = [
            "--with-papi-src=" + join_path(self.stage.source_path, "papi"),
            "--with-libpfm4-src=" + join_path(self.stage.source_path, "libpfm4"),
        ]
        if self.spec.satisfies("+vpmu"):
            args.append("--with-qemu-src=" + join_path(self.stage.source_path, "qemu"))
        else:
            args.append("--without-qemu")
        if self.spec.satisfies("+mpi"):
            # The others that have MPICH's interface say so in their mpi.h too.
            kind = "openmpi" if self.spec.satisfies("^[virtuals=mpi] openmpi") else "mpich"
            args.append("--with-mpi=" + kind)
        else:
            args.append("--disable-mpi")
        return args

    def setup_run_environment(self, env):
        # Programs that were built with another PAPI 7 use this one.
        env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib)
        env.prepend_path("PYTHONPATH", self.prefix.share.ipmu.python)
