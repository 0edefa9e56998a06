#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs a command several times: "SECONDS PEAK_KIB" of the fastest, its output thrown away.

	bench/measure.py TIMES COMMAND...
"""
import os
import subprocess
import sys
import time


def once(command):
    begin = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"failed: {' '.join(command)}")
    return time.monotonic() - begin, usage.ru_maxrss


def main():
    seconds, peak = min(once(sys.argv[2:]) for _ in range(int(sys.argv[1])))
    print(f"{seconds:.4f} {peak}")


if __name__ == "__main__":
    main()
