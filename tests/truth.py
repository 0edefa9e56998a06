#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Workloads on real kernels: here, and in guests where QEMU and fetched kernels are."""
import json
import os
import shutil
import subprocess

import tap

PROGRAM = os.path.join(tap.BUILD, "fairground")
KERNELS = ("6.1", "6.12")
WORKLOADS = ("periodic-and-hogs", "pipeline", "hogs")
TRACEFS = "/sys/kernel/tracing/instances"


def fairground(*words, **options):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300,
                          **options)


def workload(name):
    return os.path.join(tap.ROOT, "workloads", name + ".json")


def near(kernel, name):
    if not shutil.which("qemu-system-x86_64"):
        raise tap.Skip("qemu-system-x86_64 is not here")
    done = fairground("validate", "--guest", kernel, "--runs", "3", "--duration", "2s", "--json",
                      workload(name))
    if done.returncode == 4:
        raise tap.Skip(done.stderr.strip())
    assert done.returncode in (0, 1), done.stderr
    rows = json.loads(done.stdout)["tasks"]
    off = [row for row in rows if row["verdict"] == "off"]
    assert rows and len(off) * 3 <= len(rows), off


def test_a_workload_runs_on_this_kernel():
    if os.geteuid() or not os.path.isdir(TRACEFS):
        raise tap.Skip(f"no right to make an instance in {TRACEFS}")
    done = fairground("exec", workload("hogs"), "--duration", "500ms", "--json")
    assert done.returncode == 0, done.stderr
    assert "hog_0" in {task["name"] for task in json.loads(done.stdout)["tasks"]}, done.stdout
    assert not [name for name in os.listdir(TRACEFS) if name.startswith("fairground")], "an instance is left"


def test_a_missing_right_is_named():
    if os.geteuid():
        raise tap.Skip("only root can do without rights")
    try:
        done = fairground("exec", workload("hogs"), "--duration", "500ms", user=65534, cwd="/")
    except PermissionError:
        raise tap.Skip("nobody may not run the program where it is") from None
    assert done.returncode == 4 and TRACEFS in done.stderr, (done.returncode, done.stderr)


def claims():
    found = [(name[5:], body) for name, body in globals().items() if name.startswith("test_")]
    return found + [(f"{name} on {kernel} is near", lambda kernel=kernel, name=name: near(kernel, name))
                    for kernel in KERNELS for name in WORKLOADS]


if __name__ == "__main__":
    raise SystemExit(tap.run(claims()))
