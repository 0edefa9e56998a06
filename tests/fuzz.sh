#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every fuzz target for a while under libFuzzer, from its corpus.
#
#	tests/fuzz.sh [SECONDS]		for each target; default 60
root=${FAIRGROUND_ROOT:-$(cd "$(dirname "$0")/.." && pwd)}
seconds=${1:-60}
folder=${FAIRGROUND_BUILD:-$root/build-check}/fuzz
number=0 status=0
. "$root/tools/build.sh"

# try TARGET: what it found, if anything, stays in its folder
try() {
	local corpus=$root/tests/fuzz/corpus/$1

	[ -d "$corpus" ] || corpus=$root/tests/fixtures
	mkdir -p "$folder/found/$1"
	"$folder/tests/fuzz_$1" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="$folder/found/$1/" \
		"$folder/found/$1" "$corpus" >"$folder/$1.log" 2>&1
}

mkdir -p "$folder"
cd "$root" || exit 1
if ! build_folder "$folder" clang all -Dtests=true -Dfuzz=true -Dwerror=true --buildtype=debugoptimized \
	-Db_sanitize=address,undefined -Db_lundef=false; then
	echo "Bail out! the fuzz targets do not build"
	exit 1
fi
for path in "$root"/tests/fuzz/fuzz_*.c; do
	target=$(basename "$path" .c)
	target=${target#fuzz_}
	number=$((number + 1))
	if try "$target"; then
		echo "ok $number - $target for $seconds s: $(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$target.log") inputs"
	else
		tail -n 40 "$folder/$target.log" | sed 's/^/# /'
		echo "not ok $number - $target"
		status=1
	fi
done
echo "1..$number"
exit $status
