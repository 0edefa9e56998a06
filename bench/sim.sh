#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# sim - how fast a workload is simulated, beside what this machine's kernel does for real.
#
#	bench/sim.sh [WORKLOAD [SECONDS]]	default: workloads/periodic100.json, 60 simulated
#
# On 8 simulated CPUs and one real core; and on all real ones, where the report is made on a second
# one while the simulation goes on.  The peer is `perf bench sched pipe` on one CPU: two
# processes that wake each other, two switches a turn.  Instructions per event are the
# difference of a simulated second and two, under callgrind.
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/lib.sh

bench_start
workload=${1:-workloads/periodic100.json}
simulated=${2:-60}

simulate() {
	taskset -c 0 fairground run "$workload" --machine 8 --duration "$1s" "${@:2}"
}

instructions_per_event() {
	local one two

	one="$(bench_instructions fairground run "$workload" --machine 8 --duration 1s)"
	two="$(bench_instructions fairground run "$workload" --machine 8 --duration 2s)"
	bench_calc "($two - $one) / ($(simulate 2 --json | bench_json "d['stream']['events']") - \
		$(simulate 1 --json | bench_json "d['stream']['events']"))" 0
}

bench_machine
simulate "$simulated" --json >"$work/run.json"
events=$(bench_json "d['stream']['events']" <"$work/run.json")
# sched_switch events, as perf's pipe counts them: to and from idle, too
switches=$(bench_json "sum(c['switches'] for c in d['cpus'])" <"$work/run.json")
read -r seconds cpu peak < <(python3 bench/measure.py 3 \
	taskset -c 0 build/fairground run "$workload" --machine 8 --duration "${simulated}s")
read -r all_cores _ _ < <(python3 bench/measure.py 3 build/fairground run "$workload" --machine 8 --duration "${simulated}s")
pipe=$(taskset -c 0 perf bench -f simple sched pipe -l 200000 | tail -n 1)
rate=$(python3 -c "print($switches / $seconds)")
pipe_rate=$(python3 -c "print(2 * 200000 / $pipe)")

echo "workload: $workload, 8 CPUs, $simulated s simulated in $seconds s ($cpu s of CPU), peak $(bench_calc "$peak / 1024") MiB"
echo "simulated seconds a second: $(bench_calc "$simulated / $seconds"), on $(nproc) cores $(bench_calc "$simulated / $all_cores")"
echo "events of the stream a second: $(bench_calc "$events / $seconds / 1e6" 2) M"
echo "switches a second: $(bench_calc "$rate / 1e6" 2) M"
echo "perf bench sched pipe, switches a second: $(bench_calc "$pipe_rate / 1e6" 3) M; ratio $(bench_calc "$rate / $pipe_rate")"
echo "instructions per event: $(instructions_per_event)"
