#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Three workloads on two kernels in guests, where QEMU and fetched kernels are: a short form of
tools/fidelity.py.  What the guests do is compared with the recordings, and with the simulator as
validate does: eight runs a side, off is what it calls off, shares and counts alone.  What
docs/fidelity.md lists as off is known.  Two CPUs take turns, of which QEMU is capable since 8.1.
Four run in wall time, one core each: two threads a CPU that never sleep, who get all of them."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import tap

sys.path.insert(0, os.path.join(tap.ROOT, "tools"))
import fidelity  # noqa: E402

PROGRAM = os.path.join(tap.BUILD, "fairground")
FOLDER = os.path.join(tap.ROOT, "tests/fidelity")
KERNELS = ("6.1", "6.12")
WORKLOADS = ("periodic-and-hogs", "hogs", "locks")
RUNS = 8  # a verdict's least
SEVERAL, SEVERAL_KERNEL = 4, "6.12"
TWO = ("6.12", "two-bursts")
# half a second of work on each CPU
WORK = {"tasks": {f"cpu{i}": {"cpus": [i], "phases": {"work": {"loop": 50, "run": 10000}, "rest": {"sleep": 60000000}}}
                  for i in range(2)}}


def fairground(*words):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)


def median_of(path, task, metric):
    with open(path, encoding="utf-8") as file:
        found = next(one for one in json.load(file)["tasks"] if one["name"] == task)
    return sorted(found[metric])[len(found[metric]) // 2]


def need_qemu(*least):
    if not shutil.which("qemu-system-x86_64"):
        raise tap.Skip("qemu-system-x86_64 is not here: install qemu-system-x86")
    told = subprocess.run(["qemu-system-x86_64", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    version = tuple(int(number) for number in re.search(r"(\d+)\.(\d+)", told).groups())
    if version < least:
        raise tap.Cannot(f"QEMU {version[0]}.{version[1]} is here, CPUs take turns in virtual time since 8.1")
    if least and os.access("/dev/kvm", os.R_OK | os.W_OK):
        raise tap.Cannot("KVM is here, whose CPUs take no turns")


def near(kernel, name):
    need_qemu(*((8, 1) if fidelity.cpus_of(name) > 1 else ()))
    workload = os.path.join(FOLDER, "workloads", name + ".json")
    with tempfile.TemporaryDirectory() as folder:
        kept = os.path.join(folder, "kept.json")
        done = fairground("validate", "--guest", kernel, "--cpus", str(fidelity.cpus_of(name)), "--runs", str(RUNS),
                          "--duration", "2s", "--json", "--keep", kept, workload)
        if done.returncode == 4:
            raise tap.Skip(done.stderr.strip())
        assert done.returncode in (0, 1), done.stderr
        rows = json.loads(done.stdout)["tasks"]
        # the kernel under test is the one that was recorded: its shares are those of the recording
        for row in rows:
            if row["metric"] == "cpu_pct":
                was = median_of(os.path.join(FOLDER, kernel, name + ".json"), row["name"], "cpu_pct")
                now = median_of(kept, row["name"], "cpu_pct")
                assert abs(now - was) <= 0.05 * was, (row["name"], was, now)
        # by the verdicts of validate; delays need more time than there is here
        known = fidelity.known_off()
        off = [row for row in rows if row["verdict"] == "off" and row["metric"] in ("cpu_pct", "switches", "preempt_waits") and
               (kernel, name, row["name"], row["metric"]) not in known]
        assert rows and not off, off


def several(cpus):
    need_qemu()
    have = len(os.sched_getaffinity(0))
    if have < cpus:
        raise tap.Cannot(f"{have} cores here: {cpus} CPUs of a guest need one each")
    with tempfile.TemporaryDirectory() as folder:
        workload = os.path.join(folder, "hogs.json")
        with open(workload, "w", encoding="utf-8") as file:
            json.dump({"tasks": {"hog": {"instance": 2 * cpus, "loop": -1, "run": 10000}}}, file)
        done = fairground("validate", "--guest", SEVERAL_KERNEL, "--cpus", str(cpus), "--runs", str(RUNS), "--duration", "2s",
                          "--json", workload)
    if done.returncode == 4:
        raise tap.Skip(done.stderr.strip())
    assert done.returncode in (0, 1), done.stderr
    (share,) = [row for row in json.loads(done.stdout)["tasks"] if row["metric"] == "cpu_pct"]
    assert share["kernel"] > 100 * (cpus - 1) and share["verdict"] != "off", share


def equal_turns():
    """500 ms of work and 126 ticks of some us: by less than 1 ms more or less."""
    need_qemu(8, 1)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(WORK, file)
        file.flush()
        done = fairground("guest", "--kernel", "6.12", "--cpus", "2", "--duration", "700ms", "--json", file.name)
    if done.returncode == 4:
        raise tap.Skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert "in turns" in found["settings"]["clock"], found["settings"]
    took = {row["name"]: row["runtime_ms"] for row in found["tasks"] if row["name"] in WORK["tasks"]}
    assert len(took) == 2 and all(499.8 < ms < 501.8 for ms in took.values()), took


def claims():
    found = [("two CPUs in turns do the same work in the same time", equal_turns),
             (f"{TWO[1]} on {TWO[0]} in a guest is near", lambda: near(*TWO)),
             (f"{SEVERAL} CPUs in a guest are near", lambda: several(SEVERAL))]
    return found + [(f"{name} on {kernel} in a guest is near", lambda kernel=kernel, name=name: near(kernel, name))
                    for kernel in KERNELS for name in WORKLOADS]


if __name__ == "__main__":
    raise SystemExit(tap.run(claims()))
