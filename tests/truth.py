#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Workloads on the kernel that runs here."""
import json
import os
import subprocess

import tap

PROGRAM = os.path.join(tap.BUILD, "fairground")
TRACEFS = "/sys/kernel/tracing/instances"


def fairground(*words, **options):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300,
                          **options)


def workload(name):
    return os.path.join(tap.ROOT, "workloads", name + ".json")


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


if __name__ == "__main__":
    tap.main(globals())
