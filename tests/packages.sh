#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The installer of ./demo and ./check, on machines made up of commands that only pretend.
root=${FAIRGROUND_ROOT:-$(cd "$(dirname "$0")/.." && pwd)}
fake=$(mktemp -d)
trap 'rm -rf "$fake"' EXIT
number=0 status=0

# pretend NAME BODY: a command of the made-up machine
pretend() {
	printf '#!/bin/bash\n%s\n' "$2" >"$fake/$1"
	chmod +x "$fake/$1"
}

# machine INSTALLED UID: what is there, and who we are
machine() {
	rm -f "$fake"/*
	pretend dpkg-query "case \${*: -1} in $1) printf installed ;; *) exit 1 ;; esac"
	pretend id "echo $2"
	pretend apt-get "echo \"apt-get \$*\" >>'$fake/calls'"
	pretend sudo 'exit 1'
}

# need: calls packages_need there; its output in $said, its exit status in $got, apt's calls in $calls
need() {
	said=$(PATH=$fake:$PATH bash -c ". '$root/tools/packages.sh'; packages_need $1" 2>&1 </dev/null)
	got=$?
	calls=$(cat "$fake/calls" 2>/dev/null)
}

# claim NAME CONDITION...: one line of TAP
claim() {
	local name=$1

	number=$((number + 1))
	shift
	if "$@"; then
		echo "ok $number - $name"
	else
		echo "# exit $got, apt: $calls, said:"
		echo "$said" | sed 's/^/#   /'
		echo "not ok $number - $name"
		status=1
	fi
}

all_there() { [ "$got" = 0 ] && [ -z "$calls" ] && [ -z "$said" ]; }
told_what_to_do() {
	[ "$got" = 4 ] && [ -z "$calls" ] && [[ $said == *"apt-get install"*" meson "* ]]
}
installed_gcc_only() {
	[ "$got" = 0 ] && [[ $calls == *"apt-get -q -y update"*"apt-get -q -y install"*" gcc" ]] &&
		[[ $said == *"compiles the program"* ]]
}
network_is_asked_for() { [ "$got" = 4 ] && [[ $said == *"network"* ]]; }
has_reasons() {
	[ -z "$(. "$root/tools/packages.sh" && packages_table | grep -vE '^(demo|check|guest) +\|.*\|.*\| .{10,}$')" ]
}

echo 1..6
machine '*' 1000
need check
claim with_everything_there_nothing_is_called all_there
machine 'gcc' 1000
need demo
claim without_rights_it_says_what_to_install_and_exits_4 told_what_to_do
machine 'gcc) exit 1 ;; *' 0
need demo
claim root_installs_what_is_missing_and_only_that installed_gcc_only
machine 'gcc) exit 1 ;; *' 1000
pretend sudo '[ "$1" = -n ] && exit; exec "$@"'
need demo
claim with_sudo_it_installs_too installed_gcc_only
machine 'gcc) exit 1 ;; *' 0
pretend apt-get 'exit 100'
need demo
claim without_a_network_it_says_so_and_exits_4 network_is_asked_for
claim every_package_has_its_reason has_reasons
exit $status
