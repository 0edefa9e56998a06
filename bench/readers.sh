#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# readers - how fast a large perf.data is analysed, beside `perf sched latency`.
#
#	bench/readers.sh [FILE]
#
# Without FILE it records some 1.5 million events first (root, some seconds).  Both programs
# read the same file in the same run; the rates are of the samples in the file, so that they
# compare.  Instructions per event are the difference of two runs under callgrind, so that
# what is done once for each file does not count.
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/lib.sh

bench_start
big=${1:-$work/big.data}
[ $# -gt 0 ] || sh tools/fixtures/record_big.sh "$big"

samples() {
	perf report --stats -i "$1" 2>/dev/null | sed -n 's/^ *SAMPLE events: *\([0-9]*\).*/\1/p' | head -n 1
}

# rate NAME COMMAND...: a line of the table
rate() {
	local name=$1 seconds cpu peak

	shift
	read -r seconds cpu peak < <(python3 bench/measure.py 3 "$@")
	printf '%-24s %10s %12s %12s %12s\n' "$name" "$seconds" "$cpu" \
		"$(bench_calc "$nr / $seconds / 1e6" 2)" "$(bench_calc "$peak / 1024")"
	eval "$name=$seconds ${name}_cpu=$cpu"
}

# Small files for callgrind, the longer has more events of the same kind.
instructions_per_event() {
	local few=$work/few.data more=$work/more.data

	sh tools/fixtures/record_big.sh "$few" 2 500 >/dev/null
	sh tools/fixtures/record_big.sh "$more" 2 8000 >/dev/null
	bench_calc "($(bench_instructions fairground analyze "$more") - $(bench_instructions fairground analyze "$few")) / \
		($(samples "$more") - $(samples "$few"))" 0
}

bench_machine
nr=$(samples "$big")
echo "file: $nr samples, $(stat -c %s "$big") bytes"
printf '%-24s %10s %12s %12s %12s\n' "" "seconds" "CPU seconds" "M events/s" "peak MiB"
rate fairground fairground analyze "$big"
rate perf perf sched latency -i "$big"
echo "fairground / perf sched latency: $(bench_calc "$perf / $fairground" 2), by CPU time $(bench_calc "$perf_cpu / $fairground_cpu" 2)"
[ "$(id -u)" -eq 0 ] && echo "instructions per event: $(instructions_per_event)"
