# SPDX-License-Identifier: MIT
from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    # Spack before version 1 has it in spack.package.
    pass


class Zydis(CMakePackage):
    """Decoder of x86 instructions, with which the virtual machine tells them apart."""

    homepage = "https://zydis.re"
    git = "https://github.com/zyantific/zydis.git"
    license("MIT")

    version("4.0.0", tag="v4.0.0", submodules=True)

    depends_on("c", type="build")
    depends_on("cxx", type="build")

    def cmake_args(self):
        return [
            self.define("ZYDIS_BUILD_SHARED_LIB", True),
            self.define("ZYDIS_BUILD_EXAMPLES", False),
            self.define("ZYDIS_BUILD_TOOLS", False),
        ]
