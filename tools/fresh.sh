#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fresh - does the project work on a machine that has nothing but git?
#
#   tools/fresh.sh bookworm|trixie [FOLDER]
#
# Makes a bare Debian with debootstrap, clones the last commit into it, and runs there
#   1. ./demo and ./check as a user without rights: they must say what is missing, exit 4;
#   2. ./demo, then ./check, as root;
#   3. ./demo again without a network: it must do without, too.
# FOLDER (default: .cache/fresh/SUITE) keeps the bare system and the packages fetched, so
# that a second run takes less.  The mirror is the one this machine's apt uses.
# Needs root, and on this machine debootstrap and a Debian keyring.
set -euo pipefail

project=$(cd "$(dirname "$0")/.." && pwd)

usage() {
	echo "usage: tools/fresh.sh bookworm|trixie [FOLDER]" >&2
	exit 2
}

# Rows "base URL|name of the release" of this machine's Debian sources.
apt_rows() {
	apt-get indextargets --format '$(ORIGIN)|$(COMPONENT)|$(REPO_URI)|$(RELEASE)' \
		'Created-By: Packages' | sed -n 's/^Debian|main|//p' | sort -u
}

mirror() {
	apt_rows | grep -v -e '-security$' -e '-updates$' -e '-backports$' | head -n 1 | cut -d '|' -f 1
}

# The same sources as here, for another release.
sources_for() {
	local suite=$1 url name

	apt_rows | while IFS='|' read -r url name; do
		case $name in
		*-security) echo "deb $url $suite-security main" ;;
		*-updates) echo "deb $url $suite-updates main" ;;
		*-*) ;;
		*) echo "deb $url $suite main" ;;
		esac
	done
}

make_base() {
	[ -e "$base/.complete" ] && return
	rm -rf "$base"
	mkdir -p "$base" "$debs/partial"
	debootstrap --variant=minbase --include=git,ca-certificates --cache-dir="$debs" \
		--keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
		"$suite" "$base" "$(mirror)"
	sources_for "$suite" >"$base/etc/apt/sources.list"
	# What this machine's clock and mirror need holds there, too.
	apt-config dump | grep -E '^Acquire::Check-(Date|Valid-Until)' \
		>"$base/etc/apt/apt.conf.d/90-as-outside" || true
	touch "$base/.complete"
}

# A copy of the bare system with the project's last commit in /root/fairground.
make_root() {
	rm -rf "$root"
	cp -a --reflink=auto "$base" "$root"
	cp -L /etc/hosts /etc/resolv.conf "$root/etc/"
	mount --bind "$debs" "$root/var/cache/apt/archives"
	mount -t proc proc "$root/proc"
	mount -t sysfs -o ro sys "$root/sys"
	mount --rbind /dev "$root/dev"
	git -C "$project" bundle create -q "$root/tmp/project.bundle" HEAD
	chroot "$root" git -c advice.detachedHead=false -c init.defaultBranch=main clone -q \
		/tmp/project.bundle /srv/fairground
}

# within [WRAPPER...] COMMAND: in the clone, with a clean environment; prints how long it took.
within() {
	local begin=$SECONDS status=0

	env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		TERM=dumb "${wrapper[@]}" chroot "${user[@]}" "$root" /bin/bash -c \
		"cd /srv/fairground && $1" || status=$?
	printf '== %s: %s: exit %d after %d s\n' "$suite" "$2" "$status" $((SECONDS - begin))
	return "$status"
}

expect() {
	local want=$1 status=0

	within "$2" "$3" || status=$?
	if [ "$status" -ne "$want" ]; then
		echo "== $suite: expected exit $want" >&2
		exit 1
	fi
}

main() {
	make_base
	make_root
	wrapper=() user=(--userspec=nobody:nogroup)
	expect 4 ./demo "./demo with no rights"
	expect 4 ./check "./check with no rights"
	user=()
	expect 0 ./demo "./demo"
	expect 0 'test -x build/fairground && build/fairground --version' "the program"
	expect 0 ./check "./check"
	wrapper=(unshare --net)
	expect 0 ./demo "./demo without a network"
	echo "== $suite: all as it should be"
}

[ $# -ge 1 ] || usage
suite=$1
case $suite in
bookworm | trixie) ;;
*) usage ;;
esac
if [ -z "${FRESH_INSIDE:-}" ]; then
	# Mounts live in a namespace of their own: nothing to clean up, whatever happens.
	FRESH_INSIDE=1 exec unshare --mount --propagation private "$0" "$@"
fi
folder=${2:-$project/.cache/fresh/$suite}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
base=$folder/base root=$folder/root debs=$folder/debs
main
