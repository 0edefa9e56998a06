#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs a command several times: "SECONDS CPU_SECONDS PEAK_KIB", its output thrown away.

	bench/measure.py TIMES COMMAND...

Seconds are those of the fastest run; CPU seconds, of the run that took least, tell the
program's own work on a machine that is busy with other things.  The peak comes from a run more, watched through
/proc: what wait4() reports would include the memory of this program before exec().
"""
import os
import subprocess
import sys
import time


def start(command):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def judge(child, status):
    if status:
        sys.exit(f"failed: {' '.join(child.args)}")


def seconds(command):
    """(wall, CPU)"""
    begin = time.monotonic()
    child = start(command)
    _, status, usage = os.wait4(child.pid, 0)
    judge(child, status)
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime


def peak_kib(command):
    peak = 0
    child = start(command)
    while child.poll() is None:
        with open(f"/proc/{child.pid}/status", encoding="utf-8") as status:
            peak = max([peak] + [int(line.split()[1]) for line in status if line.startswith("VmHWM")])
        time.sleep(0.002)
    judge(child, child.returncode)
    return peak


def main():
    command = sys.argv[2:]
    runs = [seconds(command) for _ in range(int(sys.argv[1]))]
    print(f"{min(run[0] for run in runs):.4f} {min(run[1] for run in runs):.4f} {peak_kib(command)}")


if __name__ == "__main__":
    main()
