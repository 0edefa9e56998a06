#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What PREEMPT_SHORT changes is in the simulator what it is on kernels.

tests/effects/KERNEL@FEATURE.json are what `fairground validate --keep` recorded in guests of one
CPU of workloads/short-beside-long.json, eight runs of 3 s.  An effect is the difference of
the means with the feature and without; it has the kernel's sign, and is within 20 % of the
kernel's size or inside the spread of its runs.
"""
import json
import os
import statistics
import subprocess

import tap

PROGRAM = os.path.join(tap.BUILD, "fairground")
KERNELS = ("6.12", "7.3")
# metric of a recording -> of a comparison
METRICS = {("periodic", "wakeup_mean_ms"): "periodic.wakeup_mean_ms", ("periodic", "switches"): "periodic.switches",
           ("hog", "switches"): "hog.switches"}


def recorded(kernel, feature):
    with open(os.path.join(tap.ROOT, "tests/effects", f"{kernel}@{feature}.json"), encoding="utf-8") as file:
        return {task["name"]: task for task in json.load(file)["tasks"]}


def simulated(kernel):
    machine = os.path.join(tap.ROOT, "machines", f"emulated-{kernel}.json")
    done = subprocess.run([PROGRAM, "compare", "short-beside-long", "--machine", machine, "--release", kernel, "--duration",
                           "3s", "--runs", "8", "--json"], check=True, stdout=subprocess.PIPE, text=True)
    return {row["name"]: row for row in json.loads(done.stdout)["metrics"]}


def check(kernel):
    without, with_it, ours = recorded(kernel, "NO_PREEMPT_SHORT"), recorded(kernel, "PREEMPT_SHORT"), simulated(kernel)
    for (task, metric), name in METRICS.items():
        a, b = without[task][metric], with_it[task][metric]
        effect = statistics.mean(b) - statistics.mean(a)
        least, most = min(b) - max(a), max(b) - min(a)
        got = ours[name]["b"] - ours[name]["a"]
        said = f"{name} on {kernel}: kernel {effect:+.3f} ({least:+.3f} to {most:+.3f}), simulator {got:+.3f}"
        print("#", said)
        assert effect * got > 0, said
        assert abs(got - effect) <= 0.2 * abs(effect) or least <= got <= most, said


def test_the_effect_of_preempt_short_on_6_12():
    check("6.12")


def test_the_effect_of_preempt_short_on_7_3():
    check("7.3")


if __name__ == "__main__":
    tap.main(globals())
