#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs a command several times: "SECONDS PEAK_KIB", its output thrown away.

	bench/measure.py TIMES COMMAND...

Seconds are those of the fastest run.  The peak comes from a run more, watched through
/proc: what wait4() reports would include the memory of this program before exec().
"""
import subprocess
import sys
import time


def start(command):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def end(child):
    if child.wait():
        sys.exit(f"failed: {' '.join(child.args)}")


def seconds(command):
    begin = time.monotonic()
    end(start(command))
    return time.monotonic() - begin


def peak_kib(command):
    peak = 0
    child = start(command)
    while child.poll() is None:
        with open(f"/proc/{child.pid}/status", encoding="utf-8") as status:
            peak = max([peak] + [int(line.split()[1]) for line in status if line.startswith("VmHWM")])
        time.sleep(0.002)
    end(child)
    return peak


def main():
    command = sys.argv[2:]
    print(f"{min(seconds(command) for _ in range(int(sys.argv[1]))):.4f} {peak_kib(command)}")


if __name__ == "__main__":
    main()
