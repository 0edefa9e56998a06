#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The examples of the documentation are what the program prints.

	tests/docs.py [--update]

In README.md and docs/*.md a block fenced as ```console holds commands, each a line "$ ...",
and below each what it prints.  A line "..." stands for any lines, "..." inside a line for any
text.  Commands run in the project's folder with `fairground` in the PATH.  A block whose first
line is "# not run: REASON" is left out.  --update writes what is printed now: as many lines
above a "..." and below it as there were.
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


def printed_by(command):
    env = dict(os.environ, PATH=tap.BUILD + os.pathsep + os.environ["PATH"], LC_ALL="C.UTF-8")
    return subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=tap.ROOT, env=env, text=True, timeout=120,
                          errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT).stdout


def check(command, expected):
    printed = printed_by(command)
    assert matches(expected, printed), f"$ {command}\nprinted:\n{printed}"


def renewed(expected, printed):
    """@printed, shortened as @expected is."""
    lines = [line.rstrip() for line in printed.splitlines()]
    if matches(expected, printed) or "..." not in expected:
        return expected if matches(expected, printed) else lines
    above, below = expected.index("..."), len(expected) - 1 - expected[::-1].index("...")
    return lines[:above] + ["..."] + lines[len(lines) - (len(expected) - 1 - below):]


def update(path):
    def block(found):
        out = []
        if found[1].startswith(NOT_RUN):
            return found[0]
        for command, expected in blocks(found[0])[0]:
            out += [f"$ {command}"] + renewed(expected, printed_by(command))
        return "```console\n" + "\n".join(out) + "\n```"

    with open(path, encoding="utf-8") as file:
        text = FENCE.sub(block, file.read())
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def documents():
    return [os.path.join(tap.ROOT, "README.md")] + sorted(glob.glob(os.path.join(tap.ROOT, "docs/*.md")))


def claims():
    found = []
    for path in documents():
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


def test_an_update_keeps_what_is_left_out():
    assert renewed(["a", "...", "z"], "b\nc\nd\ny\n") == ["b", "...", "y"]
    assert renewed(["a"], "b\nc\n") == ["b", "c"]
    assert renewed(["took ... ms"], "took 3 ms\n") == ["took ... ms"]


def test_a_wrong_example_fails():
    try:
        check("echo a", ["b"])
    except AssertionError:
        return
    raise AssertionError("it passed")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        tap.need_program()
        for document in documents():
            update(document)
        sys.exit(0)
    selftests = [(name[5:], body) for name, body in globals().items() if name.startswith("test_")]
    sys.exit(tap.run(selftests + claims()))
