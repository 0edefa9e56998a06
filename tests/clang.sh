#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Everything compiles with the other compiler, too, without a warning.
root=${FAIRGROUND_ROOT:-$(cd "$(dirname "$0")/.." && pwd)}
folder=${FAIRGROUND_BUILD:-$root/build-check}/clang
. "$root/tools/build.sh"

echo 1..1
if ! command -v clang >/dev/null; then
	echo "ok 1 - clang_compiles_everything # SKIP clang is not here"
	exit 0
fi
cd "$root" || exit 1
if build_folder "$folder" clang all -Dtests=true -Dwerror=true --buildtype=debug; then
	echo "ok 1 - clang_compiles_everything"
else
	echo "not ok 1 - clang_compiles_everything"
	exit 1
fi
