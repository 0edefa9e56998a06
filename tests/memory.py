#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The memory of a run does not grow with its length, whatever the workload does.

bench/memory.sh measures the same over 25 million events.
"""
import json
import os
import subprocess
import tempfile
import time

import tap

# Freed memory that the sanitizer keeps for a while would grow with the run.
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="quarantine_size_mb=1:" + os.environ.get("ASAN_OPTIONS", ""))

# A thread that forks one each millisecond, and these end.
FORKS = {"tasks": {"parent": {"loop": -1, "run": 100, "fork": "child", "sleep": 900},
                   "child": {"instance": 0, "run": 200, "sleep": 100, "run1": 100}}}
# CPUs go and come all the time.
CHANGES = {"global": {"fairground": {"changes": [
    {"at_us": 1000 * (i + 1), "offline" if i % 2 == 0 else "online": 1} for i in range(4000)]}},
    "tasks": {"t": {"instance": 8, "loop": -1, "run": 300, "sleep": 500}}}


def peak_kib(workload, seconds):
    """The most memory that a run was seen to have, and its events."""
    command = [os.path.join(tap.BUILD, "fairground"), "run", "--json", "--duration", f"{seconds}s", workload]
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out, env=ENVIRONMENT)
        peak = 0
        while child.poll() is None:
            try:
                with open(f"/proc/{child.pid}/status", encoding="utf-8") as status:
                    peak = max([peak] + [int(line.split()[1]) for line in status if line.startswith("VmHWM")])
            except OSError:
                pass
            time.sleep(0.001)
        assert child.returncode == 0, f"status {child.returncode}"
        out.seek(0)
        return peak, json.load(out)["stream"]["events"]


def does_not_grow(workload, short, factor):
    small, few = peak_kib(workload, short)
    large, many = peak_kib(workload, short * factor)
    assert many > factor / 2 * few, (few, many)
    # what malloc and the sanitizer round up to
    assert large < small * 1.05 + 1024, f"{few} events: {small} KiB, {many} events: {large} KiB"


def written(workload):
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(workload, file)
    return file.name


def of_written(workload, short, factor):
    name = written(workload)
    try:
        does_not_grow(name, short, factor)
    finally:
        os.unlink(name)


def test_of_periodic_tasks():
    does_not_grow(os.path.join(tap.ROOT, "workloads", "periodic100.json"), 0.5, 8)


def test_of_threads_that_are_born_and_end():
    of_written(FORKS, 2, 8)


def test_of_cpus_that_go_and_come():
    of_written(CHANGES, 0.5, 8)


if __name__ == "__main__":
    tap.main(globals())
