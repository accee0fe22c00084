#!/bin/bash
# SPDX-License-Identifier: MIT
# Hosted CI: GitHub's and GitLab's files are YAML, run .ci/run and nothing else in its place, and have the
# same systems and compilers. Nothing here runs on either of them. Issue forms have fields for what a
# maintainer needs first.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
cd "${SRCDIR:-$(dirname "$0")/../..}" || exit 1
python3 -c 'import yaml' 2>/dev/null || { echo 'no YAML for Python here (package python3-yaml)'; exit 77; }

python3 - >"$scratch/out" 2>&1 <<'P'
import itertools, yaml
def listed(x):
    return x if isinstance(x, list) else [x]
github = yaml.safe_load(open(".github/workflows/ci.yml"))["jobs"]["run"]
gitlab = yaml.safe_load(open(".gitlab-ci.yml"))["run"]
want = {("debian:12", "gcc"), ("debian:12", "clang"), ("debian:13", "gcc"), ("debian:sid", "gcc")}
assert {(m["image"], m["cc"]) for m in github["strategy"]["matrix"]["include"]} == want
assert {p for m in gitlab["parallel"]["matrix"]
        for p in itertools.product(listed(m["IMAGE"]), listed(m["CC"]))} == want
assert any("CC=${{ matrix.cc }} .ci/run ${{ github.event_name == 'schedule' && 'all'" in step.get("run", "")
           for step in github["steps"])
assert [line.split(" $(")[0] for line in gitlab["script"]] == [".ci/run"]
assert '$CI_PIPELINE_SOURCE" != schedule ] || echo all' in gitlab["script"][0]
github, gitlab = yaml.safe_load(open(".github/workflows/ci.yml")), yaml.safe_load(open(".gitlab-ci.yml"))
assert any(step.get("run", "").endswith(".ci/fast") for step in github["jobs"]["fast"]["steps"])
assert gitlab["fast"]["script"] == [".ci/fast"]
assert github["jobs"]["run"]["needs"] == "fast" and gitlab["run"]["needs"] == ["fast"]
P
verdict 'both run .ci/fast, then .ci/run on the same systems' $?
for script in fast run; do
	[ -x .ci/$script ]
	verdict ".ci/$script can be executed" $?
done
# Their tests must be there: make refuses other names.
for name in $(sed -n 's/.*TESTS="\([a-z].*\)"$/\1/p; s/^booted=.\(.*\).$/\1/p' .ci/fast .ci/run); do
	ls tests/{build,guest}/"$name".* 2>"$scratch/out" | grep -q .
	verdict "the test $name of .ci/fast or .ci/run" $?
done
# make takes no notice of others in the list.
for name in $(sed -n '/^[a-z]/p' tests/expensive); do
	ls tests/*/"$name".sh >"$scratch/out" 2>&1
	verdict "the test $name of tests/expensive" $?
done
.ci/run some >"$scratch/out" 2>&1
[ $? = 2 ] && grep -q 'usage: run \[all\]' "$scratch/out"
verdict '.ci/run refuses another word' $?

asks() {	# asks FORM WORD...
	local word
	for word in '^name: .' '^about: .' "${@:2}"; do
		grep -q -e "$word" ".github/ISSUE_TEMPLATE/$1.md"
		verdict "$1 asks for $word" $?
	done
}
asks bug 'ipmu-run --version' 'uname -sr' papi_component_avail IPMU_DEBUG=registers 'vpmu run -m'
asks silicon 'ipmu-check -o'
asks pmu lscpu document
finish
