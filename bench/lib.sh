# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# lib - what the benchmarks share; sourced from the project's root.

. tools/packages.sh
. tools/build.sh

# bench_needs COMMAND PACKAGE WHY
bench_needs() {
	command -v "$1" >/dev/null && return
	echo "missing: $1 ($3); on Debian: apt-get install $2" >&2
	exit 4
}

# bench_start: builds, and makes a folder $work that goes away
bench_start() {
	packages_need demo
	bench_needs perf linux-perf "the peer that is measured beside"
	bench_needs valgrind valgrind "counts instructions"
	build_optimised
	PATH=$PWD/build:$PATH
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
}

# bench_json PROGRAM-TEXT: evaluates a Python expression on the JSON document d of stdin
bench_json() {
	python3 -c "import json, sys; d = json.load(sys.stdin); print($1)"
}

# bench_calc EXPRESSION [DIGITS]
bench_calc() {
	python3 -c "print(f'{$1:,.${2:-1}f}')"
}

# bench_instructions COMMAND...: how many a run takes, by callgrind
bench_instructions() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
		sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

bench_machine() {
	echo "machine: $(nproc) CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), Linux $(uname -r)"
	echo "program: $(fairground --version)"
}
