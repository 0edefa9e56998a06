#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The four bugs of "The Linux scheduler: a decade of wasted cores" (Lozi and others, EuroSys 2016).

Each is a switch of the laboratory.  With it CPUs idle for long while work waits, without it they
do not; the first half second, in which tasks spread, is left out.
"""
import json
import os
import subprocess

import tap

PROGRAM = os.path.join(tap.BUILD, "fairground")
RELEASES = ["6.1", "6.12", "7.3"]


def wasted(workload, machine, release, features):
    """The share of the time, in %, that a CPU idled while a thread waited for another."""
    words = [PROGRAM, "run", os.path.join(tap.ROOT, "workloads", f"wasted-{workload}.json"), "--release", release,
             "--duration", "1s", "--from", "0.5", "--json"]
    words += ["--machine", os.path.join(tap.ROOT, "machines/4-node.json") if machine == "4-node" else machine]
    words += ["--features", features] if features else []
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, timeout=120)
    return json.loads(done.stdout)["work_conservation"]["wall_pct"]


def compare(workload, machine, buggy, cured, at_least):
    for release in RELEASES:
        bad = wasted(workload, machine, release, buggy)
        good = wasted(workload, machine, release, cured)
        assert bad >= at_least, f"{release}: with the bug {bad} %"
        assert good < 1, f"{release}: without it {good} %"


def test_group_imbalance():
    compare("group-imbalance", "2-socket", "GROUP_IMBALANCE", None, 99)


def test_scheduling_group_construction():
    compare("group-construction", "4-node", "GROUP_CONSTRUCTION", None, 99)


# Of each 20 ms some 4, until the next tick.  No release of ours has a cure.
def test_overload_on_wakeup():
    compare("overload-on-wakeup", "4-node", None, "WAKE_ANYWHERE", 5)


def test_missing_scheduling_domains():
    compare("missing-domains", "2-socket", "MISSING_DOMAINS", None, 99)


if __name__ == "__main__":
    tap.main(globals())
