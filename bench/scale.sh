#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# scale - what an event costs on 2, 8, 32, 128 and 512 simulated CPUs with ten tasks each.
#
#	bench/scale.sh
#
# Of ten, nine sleep and run and one is a hog that pauses, so that CPUs get idle and look for
# work.  All under one cache: the widest domains there can be.  On one real core; time is that of
# the CPU, and instructions, callgrind's, are what a busy machine does not blur.
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/lib.sh

bench_start
bench_machine
echo "| CPUs | events | ns an event | to that on 8 | instructions an event | to those on 8 | peak MiB |"
echo "|---|---|---|---|---|---|---|"
on8="" count8=""
for cpus in 8 2 32 128 512; do
	cat >"$work/w.json" <<-JSON
		{"tasks": {"short": {"instance": $((9 * cpus)), "loop": -1, "run": 300, "sleep": 6000},
			   "hog": {"instance": $cpus, "loop": -1, "run": 10000, "sleep": 3000}}}
	JSON
	run=(build/fairground run "$work/w.json" --machine "$cpus" --duration "$((80000 / cpus))ms")
	events=$("${run[@]}" --json | bench_json "d['stream']['events']")
	read -r _ seconds peak < <(python3 bench/measure.py 3 taskset -c 0 "${run[@]}")
	each=$(python3 -c "print($seconds * 1e9 / $events)")
	on8=${on8:-$each}
	count=$(python3 -c "print($(bench_instructions "${run[@]}") / $events)")
	count8=${count8:-$count}
	echo "| $cpus | $events | $(bench_calc "$each" 0) | $(bench_calc "$each / $on8" 2) |" \
		"$(bench_calc "$count" 0) | $(bench_calc "$count / $count8" 2) | $(bench_calc "$peak / 1024") |"
done
