# SPDX-License-Identifier: MIT
# A short run of every fuzzer, from its seeds: `make fuzz` is the long one, and .ci/run has a longer one.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[ -d "${BUILDDIR:-.}/obj-fuzz" ] || {
	echo "the fuzzers are not built: they take clang and its runtime (libclang-rt-dev)"
	exit 77
}
FUZZ_WORK=$(mktemp -d) || exit 1
export FUZZ_WORK
trap 'rm -rf "$FUZZ_WORK"' EXIT
FUZZ_SECONDS=10 bash "$here/fuzz/run" 500
