# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# packages - what the project needs from Debian, and why; sourced by ./demo, ./check, .ci/run.
#
#   packages_need demo|check|guest	installs what is missing, or says what to install and exits 4
#
# With everything there it calls neither apt nor the network.

# for | Debian release, - for any | package | why
packages_table() {
	cat <<'TABLE'
demo  | -        | gcc                 | compiles the program
demo  | -        | libc6-dev           | the C library's headers
demo  | -        | meson               | describes the build (brings Python)
demo  | -        | ninja-build         | runs the build
demo  | -        | pkgconf             | finds the libraries below
demo  | -        | libtraceevent-dev   | decodes events by the format a trace carries
demo  | -        | libzstd-dev         | reads compressed perf.data and trace.dat
demo  | -        | libcjson-dev        | reads workloads and machines, writes --json
demo  | -        | libhwloc-dev        | imports the topology of real machines
check | -        | libcmocka-dev       | runs the unit tests
check | -        | libtracefs-dev      | libtracecmd is built on it
check | -        | libtracecmd-dev     | the tests compare our reader of trace.dat with it
check | -        | clang               | second compiler; compiles the policy for BPF
check | bookworm | libclang-rt-14-dev  | clang's sanitizers and fuzzer
check | trixie   | libclang-rt-19-dev  | clang's sanitizers and fuzzer
check | -        | rt-app              | its documentation: workloads as they are in the wild
check | bookworm | clang-format-14     | the one version that judges formatting
guest | -        | qemu-system-x86     | boots the kernels that tests compare with
TABLE
}

packages_say() {
	printf '%s\n' "$*" >&2
}

packages_codename() {
	(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}")
}

packages_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Lines "package | why" of what @1 needs here and this machine lacks.
packages_missing() {
	local what=$1 codename kind release name why

	codename=$(packages_codename)
	packages_table | tr -s ' ' | sed 's/ *| */|/g; s/ *$//' |
		while IFS='|' read -r kind release name why; do
			[ "$kind" = demo ] || [ "$kind" = "$what" ] || continue
			[ "$release" = - ] || [ "$release" = "$codename" ] || continue
			packages_installed "$name" || echo "$name|$why"
		done
}

# Sets packages_as to what apt-get must be called with; false if there is no way.
packages_rights() {
	packages_as=()
	[ "$(id -u)" -eq 0 ] && return
	command -v sudo >/dev/null || return 1
	# A password can only be asked for on a terminal.
	sudo -n true 2>/dev/null || [ -t 0 ] || return 1
	packages_as=(sudo)
}

packages_install() {
	local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y)
	local log

	log=$(mktemp)
	if "${packages_as[@]}" "${apt[@]}" update >"$log" 2>&1 &&
		"${packages_as[@]}" "${apt[@]}" install --no-install-recommends "$@" >"$log" 2>&1; then
		rm -f "$log"
		return
	fi
	tail -n 15 "$log" >&2
	rm -f "$log"
	packages_say "apt-get failed (above).  A network is needed once, to fetch these packages."
	exit 4
}

packages_need() {
	local missing names

	if ! command -v dpkg-query >/dev/null; then
		packages_say "This is not Debian: nothing is installed.  What is needed, by Debian's names:"
		packages_table >&2
		return
	fi
	missing=$(packages_missing "$1")
	[ -n "$missing" ] || return 0
	names=$(cut -d '|' -f 1 <<<"$missing" | tr '\n' ' ')
	if ! packages_rights; then
		packages_say "Missing packages, and neither root nor sudo to install them.  Please run as root:"
		packages_say "    apt-get install --no-install-recommends $names"
		exit 4
	fi
	packages_say "Installing with apt-get what is missing here:"
	printf '%s\n' "$missing" | while IFS='|' read -r name why; do
		printf '    %-20s %s\n' "$name" "$why" >&2
	done
	# shellcheck disable=SC2086
	packages_install $names
}
