#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The stream of a simulation is the same from every compiler at every level, and each
# thing that is changed changes it.
#
#	tests/hash_builds.sh [full]	full: all levels, not only -O0 and -O3
root=${FAIRGROUND_ROOT:-$(cd "$(dirname "$0")/.." && pwd)}
levels=(0 3)
[ "${1:-}" = full ] && levels=(0 1 2 3 s)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 status=0

mapfile -t sources < <(cd "$root" && find src/policy src/base src/machine src/workload \
	src/events src/sim -name '*.c' | sort)
flags="-std=gnu11 -D_GNU_SOURCE -Isrc $(pkg-config --cflags --libs libcjson hwloc) -pthread"

claim() {
	local name=$1

	number=$((number + 1))
	shift
	if "$@" >"$work/why" 2>&1; then
		echo "ok $number - $name"
	else
		sed 's/^/# /' "$work/why"
		echo "not ok $number - $name"
		status=1
	fi
}

# build COMPILER LEVEL
build() {
	# shellcheck disable=SC2086
	(cd "$root" && "$1" "-O$2" "${sources[@]}" tests/tool_hash.c -o "$work/$1-$2" $flags) &&
		"$work/$1-$2" >"$work/$1-$2.lines"
}

reference() { build gcc 0 && [ "$(wc -l <"$work/gcc-0.lines")" -eq 8 ] && cat "$work/gcc-0.lines"; }
same_as_reference() { build "$1" "$2" && diff "$work/gcc-0.lines" "$work/$1-$2.lines"; }

# line NAME: "hash events" of the reference
line() { sed -n "s/^$1 //p" "$work/gcc-0.lines"; }
same() { echo "base: $(line base), $1: $(line "$1")" && [ "$(line base)" = "$(line "$1")" ]; }
differs() { ! same "$1"; }
is_a_run() { [ "$(line base | cut -d ' ' -f 2)" -gt 1000 ]; }

claim gcc_O0_runs reference
claim the_run_is_long_enough_to_tell is_a_run
claim the_same_run_gives_the_same_hash same again
claim a_second_thread_gives_the_same_hash same thread
for what in event seed machine release feature; do
	claim "another_${what}_changes_the_hash" differs "$what"
done
for compiler in gcc clang; do
	if ! command -v "$compiler" >/dev/null; then
		number=$((number + 1))
		echo "ok $number - $compiler # SKIP $compiler is not here"
		continue
	fi
	for level in "${levels[@]}"; do
		[ "$compiler-$level" = gcc-0 ] ||
			claim "${compiler}_O${level}_gives_the_same_hashes" same_as_reference "$compiler" "$level"
	done
done
echo "1..$number"
exit $status
