#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""--perf-compat gives the rows of perf sched latency 6.1, recorded beside the traces.

Compared are all columns and the order.  Of the first column only what follows the name's last
colon, the thread or how many were merged: perf calls a thread without a COMM record ":TID",
where we know its name from the events.  Where records were lost perf may merge under an
older name for the same reason, so of such a trace only the view by thread is compared.
"""
import glob
import os
import re
import subprocess

import tap

FIXTURES = os.path.join(tap.ROOT, "tests/fixtures")
# Names may hold newlines and bars: a row is found by its numbers.
ROW = re.compile(rb":(\(?\d+\)?) +\|\s*([\d.]+) ms \|\s*(\d+) \| avg:\s*([\d.]+) ms \| max:\s*([\d.]+) ms "
                 rb"\| max start:\s*([\d.]+) s \| max end:\s*([\d.]+) s")
TOTAL = re.compile(rb"TOTAL:\s*\|\s*([\d.]+) ms \|\s*(\d+) \|")


def table(text):
    return ROW.findall(text), TOTAL.search(text).groups()


def ours(trace, *options):
    program = os.path.join(tap.BUILD, "fairground")
    text = subprocess.run([program, "analyze", "--perf-compat", *options, trace], check=True, timeout=60,
                          stdout=subprocess.PIPE).stdout
    return table(text[text.index(b"As perf sched latency"):])


def compare(recorded, *options):
    trace = re.sub(r"\.latency(-p)?\.txt$", "", recorded)
    with open(recorded, "rb") as file:
        want = table(file.read())
    got = ours(trace, *options)
    assert want[0], f"{recorded} has no rows"
    assert got == want, "\n".join(f"{os.path.basename(trace)}: {row}" for row in set(got[0]) ^ set(want[0]))


def recorded(ending, without=()):
    found = sorted(path for path in glob.glob(os.path.join(FIXTURES, "*" + ending))
                   if not any(word in path for word in without))
    if not found:
        raise tap.Skip("tests/fixtures has no recording of perf's own table")
    return found


def test_rows_by_name_equal_perfs():
    for path in recorded(".latency.txt", without=("lost",)):
        compare(path)


def test_rows_by_thread_equal_perfs():
    for path in recorded(".latency-p.txt"):
        compare(path, "--per-thread")


if __name__ == "__main__":
    tap.main(globals())
