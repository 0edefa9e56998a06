#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reads what meson noted of a test run, names what failed or was skipped, closes with the count.

	tests/summary.py BUILD-FOLDER

Counts the single claims of TAP tests, not their programs; a test that only has an exit
status is one claim.  A program that died, timed
out, broke its plan or made no claim is one failure more.  Where CI=true a skip is a
failure, unless the machine cannot do what the test needs.  Exit status: 0 if nothing failed, else 1.
"""
import json
import os
import re
import sys

LINE = re.compile(r"^(not )?ok\b\s*\d*\s*-?\s*(.*?)\s*(?:#\s*SKIP\b\s*(.*))?$", re.I)
CANNOT = ": this machine cannot: "  # tap.Cannot
PLAN = re.compile(r"^1\.\.(\d+)\s*(?:#\s*SKIP\b\s*(.*))?$", re.I)


class Count:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []


def claims(stdout):
    """(passed, failed names, skipped (name, reason), planned or None) of one TAP text."""
    passed, failed, skipped, planned = 0, [], [], None
    for text in stdout.splitlines():
        if plan := PLAN.match(text):
            planned = int(plan[1])
            if planned == 0:
                skipped.append(("all of it", plan[2] or "no reason given"))
        elif line := LINE.match(text):
            if line[3] is not None:
                skipped.append((line[2], line[3] or "no reason given"))
            elif line[1]:
                failed.append(line[2])
            else:
                passed += 1
    return passed, failed, skipped, planned


def add(count, test, plain):
    name = test["name"]
    if plain and test["result"] == "OK":
        count.passed += 1
        return
    passed, failed, skipped, planned = claims(test.get("stdout") or "")
    made = passed + len(failed) + len(skipped)
    count.passed += passed
    count.failed += [f"{name}: {what}" for what in failed]
    count.skipped += [f"{name}: {what}: {why}" for what, why in skipped]
    if failed:
        return
    if test["result"] not in ("OK", "SKIP"):
        count.failed.append(f"{name}: {test['result'].lower()}, status {test['returncode']}")
    elif made == 0:
        count.failed.append(f"{name}: makes no claim")
    elif planned and planned != made:
        count.failed.append(f"{name}: {planned} claims planned, {made} made")


def summarise(lines, strict, plain=()):
    """@plain: names of the tests that print no TAP."""
    count = Count()
    for line in lines:
        if line.strip():
            test = json.loads(line)
            add(count, test, test["name"].split(" / ")[-1] in plain)
    if strict:
        count.failed += [f"skipped: {what}" for what in count.skipped if CANNOT not in what]
        count.skipped = [what for what in count.skipped if CANNOT in what]
    if count.passed + len(count.failed) == 0:
        count.failed.append("no test ran")
    return count


def closing(count):
    text = f"{count.passed} passed, {len(count.failed)} failed"
    return text + (f", {len(count.skipped)} skipped" if count.skipped else "")


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "meson-info/intro-tests.json"), encoding="utf-8") as tests:
        plain = {test["name"] for test in json.load(tests) if test["protocol"] != "tap"}
    with open(os.path.join(folder, "meson-logs/testlog.json"), encoding="utf-8", errors="replace") as log:
        count = summarise(log, os.environ.get("CI") == "true", plain)
    for what in count.skipped:
        print("skipped:", what)
    for what in count.failed:
        print("failed:", what)
    print(closing(count))
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
