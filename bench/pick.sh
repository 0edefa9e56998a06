#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pick - what finding the next task costs, by how many are runnable on one queue.
#
#	bench/pick.sh [TURNS]	default: 20000 of each
#
# One queue kind a block: CFS (6.1), nested EEVDF (6.6, 6.12, 6.18 share it) and flat EEVDF (7.3).
# A turn charges the running task, picks and switches; a pick is the difference that a hundred more
# of them make.  Instructions are callgrind's, of a tenth of the turns.  Growth is per tenfold: what
# goes by the logarithm adds about the same for each, what goes by the number multiplies by ten.
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/lib.sh

bench_start
ninja -C build bench/bench_pick >/dev/null
turns=${1:-20000}

# best RELEASE N PICKS: the least ns of a turn, of five
best() {
	for _ in 1 2 3 4 5; do
		taskset -c 0 build/bench/bench_pick "$1" "$2" "$turns" "$3"
	done | sort -n | head -n 1
}

# instructions RELEASE N TURNS PICKS
instructions() {
	bench_instructions build/bench/bench_pick "$@"
}

bench_machine
for release in 6.1 6.12 7.3; do
	echo "release $release"
	printf '%8s %12s %12s %20s %20s\n' runnable "ns/turn" "ns/pick" "instructions/turn" "instructions/pick"
	for n in 10 100 1000 10000; do
		few=$((turns / 10))
		one=$(best "$release" "$n" 1)
		more=$(best "$release" "$n" 101)
		base=$(instructions "$release" "$n" "$few" 1)
		picked=$(instructions "$release" "$n" "$few" 101)
		turned=$(instructions "$release" "$n" $((2 * few)) 1)
		printf '%8s %12s %12s %20s %20s\n' "$n" "$one" "$(bench_calc "($more - $one) / 100")" \
			"$(bench_calc "($turned - $base) / $few" 0)" "$(bench_calc "($picked - $base) / $few / 100" 0)"
	done
done
