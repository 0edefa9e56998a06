#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The examples of the documentation are what the program prints.

In README.md and docs/*.md a block fenced as ```console holds commands, each a line "$ ...",
and below each what it prints.  A line "..." stands for any lines, "..." inside a line for any
text.  Commands run in the project's folder with `fairground` in the PATH.  A block whose first
line is "# not run: REASON" is left out.
"""
import glob
import os
import re
import subprocess
import sys

import tap

FENCE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
NOT_RUN = "# not run: "


def blocks(text):
    """[[(command, expected lines), ...], ...] of one document."""
    found = []
    for block in FENCE.findall(text):
        steps = []
        if block.startswith(NOT_RUN):
            continue
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                assert steps, f"output before any command: {line}"
                steps[-1][1].append(line)
        found.append(steps)
    return found


def matches(expected, printed):
    pattern = ""
    for line in expected:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + r" *\n"
    return re.fullmatch(pattern, printed) is not None


def check(command, expected):
    env = dict(os.environ, PATH=tap.BUILD + os.pathsep + os.environ["PATH"], LC_ALL="C.UTF-8")
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=tap.ROOT, env=env, text=True, timeout=120,
                          errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert matches(expected, done.stdout), f"$ {command}\nprinted (status {done.returncode}):\n{done.stdout}"


def claims():
    found = []
    for path in [os.path.join(tap.ROOT, "README.md")] + sorted(glob.glob(os.path.join(tap.ROOT, "docs/*.md"))):
        with open(path, encoding="utf-8") as file:
            for steps in blocks(file.read()):
                for command, expected in steps:
                    name = f"{os.path.basename(path)}: {command}".replace("#", "")
                    found.append((name, lambda command=command, expected=expected: check(command, expected)))
    return found


def test_lines_are_compared():
    assert matches(["a", "b"], "a\nb\n") and not matches(["a", "b"], "a\nc\n") and not matches(["a"], "a\nb\n")


def test_dots_stand_for_lines_and_for_text():
    assert matches(["a", "...", "z"], "a\nb\nc\nz\n") and matches(["a", "..."], "a\n")
    assert matches(["took ... ms"], "took 12 ms\n") and not matches(["took ... ms"], "took 12 s\n")


def test_blocks_are_found():
    text = "```console\n$ echo a\na\n$ true\n```\n```\n$ no\n```\n```console\n# not run: slow\n$ no\n```\n"
    assert blocks(text) == [[("echo a", ["a"]), ("true", [])]]


def test_a_wrong_example_fails():
    try:
        check("echo a", ["b"])
    except AssertionError:
        return
    raise AssertionError("it passed")


if __name__ == "__main__":
    selftests = [(name[5:], body) for name, body in globals().items() if name.startswith("test_")]
    sys.exit(tap.run(selftests + claims()))
