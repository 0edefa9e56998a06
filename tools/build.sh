# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# build - configured build folders; sourced by ./demo and ./check from the project's root.

# build_quietly LOG COMMAND...: shows what the command printed only if it fails.
build_quietly() {
	local log=$1

	shift
	"$@" >"$log" 2>&1 && return
	cat "$log" >&2
	return 1
}

# build_folder FOLDER COMPILER TARGET OPTION...: builds TARGET ("all" for everything).
build_folder() {
	local folder=$1 compiler=$2 target=$3

	shift 3
	mkdir -p "$folder"
	if [ -f "$folder/build.ninja" ]; then
		build_quietly "$folder/setup.log" meson configure "$folder" "$@"
	else
		build_quietly "$folder/setup.log" env CC="$compiler" meson setup "$folder" "$@"
	fi && build_quietly "$folder/build.log" ninja -C "$folder" "$target"
}

# The program as people use it, at build/fairground.
build_optimised() {
	build_folder build gcc all --buildtype=release -Db_sanitize=none
}
