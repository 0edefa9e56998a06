#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The JSON reports have the names that stay, docs/json.md has every name, hostile names are safe."""
import json
import os
import re
import subprocess
import tempfile

import tap

PROGRAM = os.path.join(tap.BUILD, "fairground")
TRACE = os.path.join(tap.ROOT, "tests/golden/small.txt")
WORKLOAD = os.path.join(tap.ROOT, "workloads/service-beside-batch.json")
# Scripts of others rely on these.
TOP = {"source", "settings", "window_s", "tasks", "cpus", "idle_events", "stream", "losses"}
TASK = {"name", "threads", "class", "runtime_ms", "switches", "waits", "delay_mean_ms", "delay_p50_ms",
        "delay_p90_ms", "delay_p99_ms", "delay_max_ms", "delay_sum_ms", "wakeup_mean_ms", "wakeup_p99_ms",
        "preempt_waits", "migrations"}
CPU = {"cpu", "busy_pct", "system_pct", "idle_pct"}


def report(*words):
    done = subprocess.run([PROGRAM, *words, "--json"], check=True, stdout=subprocess.PIPE, timeout=60)
    return json.loads(done.stdout.decode("utf-8", "strict"))


COMPARED = {"name", "a", "b", "change_pct", "low_pct", "high_pct", "verdict"}


def compared():
    return report("compare", WORKLOAD, "--b", "--features NO_PREEMPT_SHORT", "--duration", "50ms", "--runs", "6",
                  "--fail-if", "idle_events > 1000000")


REPRODUCED = {"metric", "published_a", "published_b", "simulated_a", "simulated_b", "published_change_pct",
              "simulated_change_pct", "low_pct", "high_pct", "verdict"}


def reproduced():
    return report("reproduce", "preempt-short", "--duration", "100ms", "--runs", "3")


def both():
    return [report("analyze", TRACE, "--worst", "5", "--perf-compat"),
            report("run", WORKLOAD, "--duration", "200ms", "--worst", "5", "--per-thread", "--perf-compat")]


def names(value):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            if name != "settings":
                yield from names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names(inner)


def test_the_names_that_stay_are_there():
    for got in both():
        assert TOP <= set(got), TOP - set(got)
        assert TASK <= set(got["tasks"][0]), TASK - set(got["tasks"][0])
        assert CPU <= set(got["cpus"][0])
        assert {"2.5-3ms", "3-4ms", "4ms+"} <= set(got["idle_events"])
        assert {"wall_ms", "per_cpu_ms", "per_thread_ms"} <= set(got["work_conservation"])
        assert {"events", "hash"} <= set(got["stream"])
        assert {"events", "inversions", "mismatches"} <= set(got["losses"])


def test_a_comparison_has_the_names_that_stay():
    metrics = compared()["metrics"]
    assert metrics and all(COMPARED <= set(metric) for metric in metrics), metrics[:1]
    assert {metric["verdict"] for metric in metrics} <= {"better", "worse", "same", "inconclusive"}
    assert {"service.delay_p99_ms", "service.activations", "idle_events", "system_ms"} <= {m["name"] for m in metrics}


def test_a_reproduction_has_the_names_that_stay():
    got = reproduced()
    assert got["scenario"] == "preempt-short" and len(got["rows"]) == 18, got["rows"]
    assert all(REPRODUCED <= set(row) for row in got["rows"]), got["rows"][0]
    assert {row["verdict"] for row in got["rows"]} <= {"agrees", "differs", "inconclusive"}


def test_every_name_is_documented():
    with open(os.path.join(tap.ROOT, "docs/json.md"), encoding="utf-8") as file:
        known = set(re.findall(r"[\w.+-]+", " ".join(re.findall(r"`([^`]*)`", file.read()))))
    for got in both() + [compared(), reproduced()]:
        assert set(names(got)) <= known, set(names(got)) - known


def test_a_run_says_all_its_settings():
    got = report("run", WORKLOAD, "--duration", "100ms", "--features", "NO_PREEMPT_SHORT")["settings"]
    assert got == {"machine": "4", "release": "6.12", "features": "NO_PREEMPT_SHORT", "hz": "250", "duration": "0.1s",
                   "seed": "1"}, got


def test_what_a_trace_does_not_have_is_null():
    got = report("analyze", TRACE)
    assert got["cpus"][0]["system_pct"] is None, got["cpus"]
    assert all(task["migrations"] is None or task["migrations"] >= 0 for task in got["tasks"])
    run = report("run", WORKLOAD, "--duration", "100ms")
    assert run["cpus"][0]["system_pct"] is not None


def test_shares_of_a_cpu_make_a_whole():
    for got in both():
        for cpu in got["cpus"]:
            assert abs(cpu["busy_pct"] + cpu["idle_pct"] + cpu["unknown_pct"] - 100) < 1e-6, cpu


def test_bytes_that_are_no_utf8_are_told_in_ascii():
    with open(TRACE, "rb") as file:
        text = file.read().replace(b"comm=hog ", b"comm=h\xff\xc3\xa4 ").replace(b"hog-", b"h\xff\xc3\xa4-")
    with tempfile.NamedTemporaryFile() as hostile:
        hostile.write(text)
        hostile.flush()
        found = {task["name"] for task in report("analyze", hostile.name)["tasks"]}
        assert "h\\xffä" in found, found
        plain = subprocess.run([PROGRAM, "analyze", hostile.name], check=True, stdout=subprocess.PIPE).stdout
        assert b"h\\xff\\xc3\\xa4 (1)" in plain, plain.decode("latin-1")


if __name__ == "__main__":
    tap.main(globals())
