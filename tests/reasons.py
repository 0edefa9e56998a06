#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every reason that docs/explain.md has is seen: a run for each, in which a decision is made for it."""
import json
import os
import re
import subprocess
import tempfile

import tap

PROGRAM = os.path.join(tap.BUILD, "fairground")
FIFO = {"policy": "SCHED_FIFO", "loop": -1}

# Two clusters under one cache; four CPUs of which the last is favoured.
CLUSTERS = {"cpus": [{"cpus": "0-3", "cluster": 0, "llc": 0}, {"cpus": "4-7", "cluster": 1, "llc": 0}]}
FAVOURED = {"cpus": [{"cpus": "0-2"}, {"cpus": "3", "priority": 1}]}

# The second is preempted on CPU 0 now and then, and may run on CPU 1.
REALTIME = {"tasks": {"high": {**FIFO, "priority": 20, "cpus": [0], "run": 3000, "sleep": 2000},
                      "low": {**FIFO, "priority": 10, "cpus": [0, 1], "run": 30000, "sleep": 1000},
                      "lower": {**FIFO, "priority": 9, "cpus": [0, 1], "run": 2000, "sleep": 1000},
                      "fair": {"loop": -1, "run": 1000, "sleep": 500}}}
CROWDED = {"tasks": {"high": {**FIFO, "instance": 3, "priority": 20, "run": 3000, "sleep": 2000},
                     "low": {**FIFO, "instance": 2, "priority": 10, "run": 4000, "sleep": 1500},
                     "fair": {"loop": -1, "run": 1000, "sleep": 500}}}
STARVED = {"tasks": {"hog": {**FIFO, "priority": 10, "run": 5000000}, "fair": {"loop": -1, "run": 1000, "sleep": 500}}}
QUOTAS = {"global": {"fairground": {"cgroups": {"/g": {"cpu.max": "200000 100000"}}}},
          "tasks": {"in": {"instance": 10, "loop": -1, "run": 100000, "taskgroup": "/g"},
                    "naps": {"instance": 6, "loop": -1, "run": 1000, "sleep": 1500, "taskgroup": "/g"},
                    "out": {"instance": 3, "loop": -1, "run": 3000, "sleep": 3000}}}
IDLERS = {"tasks": {"idle": {"policy": "SCHED_IDLE", "loop": -1, "run": 900000},
                    "waker": {"loop": -1, "run": 1000, "sleep": 3000}}}
LIGHT = {"tasks": {"light": {"instance": 16, "priority": 19, "loop": -1, "run": 700, "sleep": 900},
                   "heavy": {"instance": 7, "priority": -5, "loop": -1, "run": 11000, "sleep": 2000}}}
SMALL = {"tasks": {"small": {"instance": 3, "loop": -1, "run": 500, "sleep": 20000}}}
REDUCED = {"tasks": {"rt": {**FIFO, "priority": 10, "cpus": [0], "run": 6000, "sleep": 4000},
                     "fair": {"cpus": [0], "loop": -1, "run": 900000}}}
IDENTITIES = {"global": {"fairground": {"cgroups": {"/high": {"cpu.bvt_warp_ns": 1}}}},
              "tasks": {"bound": {"cpus": [0], "loop": -1, "run": 900000},
                        "other": {"cpus": [1], "loop": -1, "run": 5000, "sleep": 5000},
                        "high": {"taskgroup": "/high", "phases": {
                            "there": {"loop": 1, "cpus": [0], "run": 1000},
                            "anywhere": {"loop": -1, "cpus": [0, 1], "run": 50000}}}}}
ALONE = {"tasks": {"hog": {"loop": -1, "run": 900000}}}

# What runs (a workload of ours, or one from here), where, under which options, and what it must show.
ROWS = [
    ("periodic100", "soc18", "--release 7.3", ""),
    ("preempt-short", "juno-r0", "--release 6.12", "idle-and-fits idle-but-small misfit fits"),
    ("wasted-overload-on-wakeup", "soc18", "--release 7.3", ""),
    ("compile", "smt", "--release 6.12", "smt-balance idle-core idle-thread"),
    ("periodic-and-hogs", "4", "--release 6.1", "smallest-vruntime"),
    ("browser", "2-socket", "--release 7.3", "ran-most"),
    ("wasted-overload-on-wakeup", "4-node", "--features WAKE_ANYWHERE", "idle-anywhere"),
    ("fillback", "soc18", "--features LB_PROMOTE", "promoted"),
    (REALTIME, "4", "", "higher-class push"),
    (CROWDED, "2", "", "lowest-priority pull"),
    (STARVED, "1", "--duration 2s", "fair-server"),
    (QUOTAS, "4", "--duration 1s", "throttled"),
    (IDLERS, "1", "", "idle-policy"),
    (LIGHT, "4", "--features LB_MIN", "too-small"),
    (SMALL, "juno-r0", "--governor schedutil", "least-energy"),
    ("schbench", CLUSTERS, "", "idle-in-cluster"),
    (IDENTITIES, "2", "--release 6.1 --features GROUP_IDENTITY", "last-highclass"),
    ("nginx-ffmpeg", "2-socket", "--release 6.1 --features GROUP_IDENTITY", "higher-identity underclass-only"),
    (ALONE, FAVOURED, "", "asym-packing"),
    (REDUCED, "4", "", "reduced-capacity"),
]

# What no run shows, and why.
SILENT = {
    "none": "stands where a queue picks without saying why, which none does any more",
}


def written(folder, name, thing):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(thing, file)
    return path


def reasons(workload, machine, options):
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(workload, dict):
            workload = written(folder, "workload.json", workload)
        else:
            workload = os.path.join(tap.ROOT, "workloads", workload + ".json")
        if isinstance(machine, dict):
            machine = written(folder, "machine.json", machine)
        elif machine == "4-node":
            machine = os.path.join(tap.ROOT, "machines/4-node.json")
        told = os.path.join(folder, "told")
        words = [PROGRAM, "run", workload, "--machine", machine, "--duration", "400ms", "--explain", told]
        subprocess.run(words + options.split(), check=True, stdout=subprocess.DEVNULL, timeout=300)
        with open(told, encoding="utf-8") as file:
            return set(re.findall(r"reason=(\S+)", file.read()))


def known():
    with open(os.path.join(tap.ROOT, "docs/explain.md"), encoding="utf-8") as file:
        text = file.read()
    return set(re.findall(r"^\| `([a-z0-9-]+)` \|", text[text.index("| reason |"):], re.M))


def test_every_reason_is_seen_in_a_run():
    seen = set()
    for workload, machine, options, must in ROWS:
        shown = reasons(workload, machine, options)
        missing = set(must.split()) - shown
        assert not missing, f"{workload} on {machine} {options}: no {' '.join(sorted(missing))}"
        seen |= shown
    missing = known() - seen - set(SILENT)
    assert not missing, f"no run shows {' '.join(sorted(missing))}"
    assert seen <= known(), f"not explained: {' '.join(sorted(seen - known()))}"
    assert not seen & set(SILENT), "what was silent is not"


if __name__ == "__main__":
    tap.main(globals())
