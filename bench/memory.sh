#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# memory - the most memory that a run needs, as it gets longer.
#
#	bench/memory.sh [EVENTS [WORKLOAD...]]	default: 25000000, a few of workloads/
#
# Each workload runs for a second, then for as long as makes the events; 8 CPUs, the whole report.
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/lib.sh

bench_start
events=${1:-25000000}
shift || true
[ $# -gt 0 ] || set -- workloads/periodic100.json workloads/hogs.json workloads/pingpong.json workloads/service-beside-batch.json

events_of() {
	fairground run "$1" --machine 8 --duration "$2s" --json | bench_json "d['stream']['events']"
}

peak_mib() {
	python3 bench/measure.py 1 build/fairground run "$1" --machine 8 --duration "$2s" | awk '{ printf "%.1f", $3 / 1024 }'
}

bench_machine
for workload; do
	second=$(events_of "$workload" 1)
	long=$(python3 -c "print(-(-$events // $second))")
	echo "$workload: 1 s, $second events: $(peak_mib "$workload" 1) MiB;" \
		"$long s, $(events_of "$workload" "$long") events: $(peak_mib "$workload" "$long") MiB"
done
